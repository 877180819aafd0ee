// SPDX-License-Identifier: Apache-2.0
// Linking through the driver's functions. For how names are resolved see
// tests/sim/ptx/program/linker_test.cpp.
#include <cuda.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/driver/gate.hpp"

namespace {

const std::string head = ".version 7.8\n.target sm_80\n.address_size 64\n";
const std::string uses =
    head + ".extern .func helper();\n.visible .entry k() { call helper; ret; }\n";
const std::string helper = head + ".visible .func helper() { ret; }\n";

struct LinkScene : Scene {
  LinkScene() {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    values[0] = log;
    values[1] = reinterpret_cast<void*>(sizeof log);
    EXPECT_EQ(cuLinkCreate_v2(2, options, values, &state), CUDA_SUCCESS);
  }
  ~LinkScene() {
    if (state) {
      EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
    }
  }
  CUresult add(const std::string& text) {
    return cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()),
                            text.size() + 1, "one", 0, nullptr, nullptr);
  }
  char log[1000] = "";
  void* values[2];  // the driver writes to them until the link is destroyed
  CUlinkState state = nullptr;
};

TEST(cuLinkCreate_v2, ChecksItsArguments) {
  const Scene scene;
  CUlinkState state;
  EXPECT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkCreate_v2(1, nullptr, nullptr, &state), CUDA_ERROR_INVALID_VALUE);
  CUjit_option option = static_cast<CUjit_option>(1000);
  void* value = nullptr;
  EXPECT_EQ(cuLinkCreate_v2(1, &option, &value, &state), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLinkComplete, GivesAnImageThatLoads) {
  LinkScene scene;
  OK(scene.add(uses));
  OK(scene.add(helper));
  void* image = nullptr;
  size_t size = 0;
  OK(cuLinkComplete(scene.state, &image, &size));
  EXPECT_GT(size, helper.size());
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleGetFunction(&function, module, "k"));
  // The result can be linked again, like a cubin.
  CUlinkState again;
  OK(cuLinkCreate_v2(0, nullptr, nullptr, &again));
  OK(cuLinkAddData_v2(again, CU_JIT_INPUT_CUBIN, image, size, "one", 0, nullptr, nullptr));
  OK(cuLinkDestroy(again));
  EXPECT_EQ(cuLinkComplete(scene.state, &image, &size), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(scene.add(head), CUDA_ERROR_INVALID_VALUE);
  OK(cuModuleUnload(module));
}

TEST(cuLinkComplete, NamesWhatIsUndefined) {
  LinkScene scene;
  OK(scene.add(uses));
  void* image;
  EXPECT_EQ(cuLinkComplete(scene.state, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkComplete(scene.state, &image, nullptr), CUDA_ERROR_INVALID_SOURCE);
  EXPECT_NE(std::string(scene.log).find("'helper'"), std::string::npos) << scene.log;
  EXPECT_EQ(reinterpret_cast<size_t>(scene.values[1]), strlen(scene.log));
}

// Each thread leaves its rank in the first array, the grid meets, and it copies its neighbour's
// into the second; twice, since the second round counts on. The words before them: the handle, what
// cudaCGSynchronize returned, the size.
std::string meets(int scope) {
  std::string text = head + R"(
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 p);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 p, .param .b32 q);
.extern .func (.param .b32 r) cudaCGSynchronizeGrid(.param .b64 p, .param .b32 q);
.extern .func (.param .b32 r) cudaCGGetSize(.param .b64 p, .param .b64 q, .param .b64 s);
.extern .func (.param .b32 r) cudaCGGetRank(.param .b64 p, .param .b64 q, .param .b64 s);
.visible .entry meet(.param .u64 to) {
  .local .align 4 .b32 numbers[2];
  .reg .b64 %to, %handle, %numbers, %second, %own, %next;
  .reg .b32 %error, %size, %rank, %other, %round;
  .reg .pred %p;
  ld.param.u64 %to, [to];
  mov.u64 %numbers, numbers;
  cvta.local.u64 %numbers, %numbers;
  add.u64 %second, %numbers, 4;
  { .param .b32 a; .param .b64 r; st.param.b32 [a], SCOPE;
    call (r), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %handle, [r]; }
  st.global.u64 [%to], %handle;
  { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 r;
    st.param.b64 [a], %numbers; st.param.b64 [b], %second; st.param.b64 [c], %handle;
    call (r), cudaCGGetSize, (a, b, c); ld.param.b32 %error, [r]; }
  setp.ne.u32 %p, %error, 0;
  @%p bra END;
  ld.local.u32 %size, [numbers];
  st.global.u32 [%to+12], %size;
  { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 r;
    st.param.b64 [a], %numbers; st.param.b64 [b], %second; st.param.b64 [c], %handle;
    call (r), cudaCGGetRank, (a, b, c); ld.param.b32 %error, [r]; }
  ld.local.u32 %rank, [numbers];
  mov.u32 %round, 0;
ROUND:
  mad.wide.u32 %own, %rank, 4, %to;
  mad.lo.u32 %other, %round, 1000, %rank;
  st.global.u32 [%own+16], %other;
  { .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %handle; st.param.b32 [b], 0;
    call (r), cudaCGSynchronize, (a, b); ld.param.b32 %error, [r]; }
  setp.ne.u32 %p, %error, 0;
  @%p bra END;
  add.u32 %other, %rank, 1;
  rem.u32 %other, %other, %size;
  mad.wide.u32 %next, %other, 4, %to;
  ld.global.u32 %other, [%next+16];
  mad.wide.u32 %next, %size, 4, %own;
  st.global.u32 [%next+16], %other;
  { .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %handle; st.param.b32 [b], 0;
    call (r), cudaCGSynchronizeGrid, (a, b); ld.param.b32 %error, [r]; }
  add.u32 %round, %round, 1;
  setp.lt.u32 %p, %round, 3;
  @%p bra ROUND;
END:
  st.global.u32 [%to+8], %error;
  ret;
})";
  return text.replace(text.find("SCOPE"), 5, std::to_string(scope));
}

constexpr int scope_grid = 1, scope_multi_grid = 2;  // cudaCGScope

class cuLinkCompleteOfAScope : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Scopes, cuLinkCompleteOfAScope,
                         testing::Values(scope_grid, scope_multi_grid));

// A grid of several devices is one of a single device here.
TEST_P(cuLinkCompleteOfAScope, AddsTheGridsPartOfTheDeviceRuntime) {
  LinkScene scene;
  OK(scene.add(meets(GetParam())));
  void* image = nullptr;
  ASSERT_EQ(cuLinkComplete(scene.state, &image, nullptr), CUDA_SUCCESS) << scene.log;
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleGetFunction(&function, module, "meet"));
  for (const auto& [blocks, threads] : {std::pair{1u, 1u}, {3u, 70u}, {8u, 32u}}) {
    const unsigned size = blocks * threads;
    const CUdeviceptr memory = new_memory(16 + 8 * size);
    void* arguments[] = {const_cast<CUdeviceptr*>(&memory)};
    OK(cuMemsetD8(memory, 0xFF, 16 + 8 * size));
    OK(cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments));
    std::vector<uint32_t> words(4 + 2 * size);
    OK(cuMemcpyDtoH(words.data(), memory, 4 * words.size()));
    EXPECT_FALSE(words[0] == 0 && words[1] == 0) << "a handle";
    EXPECT_EQ(words[2], 0u);
    EXPECT_EQ(words[3], size);
    for (unsigned rank = 0; rank < size; ++rank)
      ASSERT_EQ(words[4 + size + rank], 2000 + (rank + 1) % size) << rank;
    // A launch that is not cooperative has no grid to wait for.
    OK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuMemcpyDtoH(words.data(), memory, 16));
    EXPECT_TRUE(words[0] == 0 && words[1] == 0);
    EXPECT_EQ(words[2], 1u) << "cudaErrorInvalidValue";
    OK(cuMemFree(memory));
  }
  OK(cuModuleUnload(module));
}

// A program may bring its own.
TEST(cuLinkComplete, PrefersTheProgramsOwnFunctions) {
  LinkScene scene;
  const std::string own = "cudaCGGetIntrinsicHandle(.param .b32 p)";
  OK(scene.add(head + ".visible .func (.param .b64 r) " + own +
               " { st.param.b64 [r], 5; ret; }\n.visible .entry k() { ret; }\n"));
  OK(scene.add(
      head + ".extern .func (.param .b64 r) " + own +
      ";\n.visible .entry j() { .param .b32 a; .param .b64 r; st.param.b32 [a], 1; call (r), "
      "cudaCGGetIntrinsicHandle, (a); ret; }\n"));
  void* image = nullptr;
  EXPECT_EQ(cuLinkComplete(scene.state, &image, nullptr), CUDA_SUCCESS) << scene.log;
}

TEST(cuLinkAddData_v2, ChecksItsArguments) {
  LinkScene scene;
  std::string text = helper;
  const auto add = [&](int type, size_t size) {
    return cuLinkAddData_v2(scene.state, static_cast<CUjitInputType>(type), text.data(), size,
                            nullptr, 0, nullptr, nullptr);
  };
  EXPECT_EQ(add(CU_JIT_INPUT_PTX, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(77, text.size()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(CU_JIT_INPUT_CUBIN, text.size()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(add(CU_JIT_INPUT_OBJECT, text.size()), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(add(CU_JIT_INPUT_NVVM, text.size()), CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  OK(add(CU_JIT_INPUT_FATBINARY, text.size()));
  EXPECT_EQ(add(CU_JIT_INPUT_PTX, text.size()), CUDA_ERROR_INVALID_SOURCE) << "helper again";
  EXPECT_NE(std::string(scene.log).find("Multiple definition of 'helper'"), std::string::npos);
  EXPECT_EQ(scene.add(head + ".visible .entry k() {\n addd; }\n"), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(scene.log).find("line 5"), std::string::npos) << scene.log;
  OK(scene.add(uses));
}

TEST(cuLinkAddFile_v2, ReadsAFile) {
  LinkScene scene;
  const auto add = [&](const char* path) {
    return cuLinkAddFile_v2(scene.state, CU_JIT_INPUT_PTX, path, 0, nullptr, nullptr);
  };
  EXPECT_EQ(add("/does/not/exist"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(add(nullptr), CUDA_ERROR_INVALID_VALUE);
  char path[] = "/tmp/cuvette-link-XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << helper;
  OK(add(path));
  unlink(path);
}

TEST(cuLinkDestroy, EndsTheHandle) {
  LinkScene scene;
  const CUlinkState state = scene.state;
  OK(cuLinkDestroy(state));
  scene.state = nullptr;
  void* image;
  EXPECT_EQ(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLinkDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLinkComplete(state, &image, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
