// SPDX-License-Identifier: Apache-2.0
// Kernels that ask for what Cuvette lacks: they are refused by name, and their module is not.
#include <cuda.h>

#include "tests/api/driver/module_scene.hpp"

namespace {

const std::string some_lack = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry good(.param .u64 to) {
  .reg .b64 %a;
  ld.param.u64 %a, [to];
  st.global.u32 [%a], 42;
  ret;
}
.func helper() {
  wgmma.fence.sync.aligned;
  ret;
}
.visible .entry calls() {
  call helper;
  ret;
}
.extern .func (.param .b32 result) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);
.visible .entry launches() {
  .param .b32 result;
  .param .b64 a, b;
  st.param.b64 [a], 0;
  st.param.b64 [b], 0;
  call (result), __cudaCDP2LaunchDeviceV2, (a, b);
  ret;
}
)";

void expect_good_runs(CUfunction good) {
  CUdeviceptr to = 0;
  OK(cuMemAlloc(&to, 4));
  void* parameters[] = {&to};
  OK(cuLaunchKernel(good, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  int value = 0;
  OK(cuMemcpyDtoH(&value, to, 4));
  EXPECT_EQ(value, 42);
  OK(cuMemFree(to));
}

// Each is refused with line and reason.
template <typename Get>
void expect_refusals(const Get& get) {
  const char* const reasons[][3] = {
      {"calls", "line 11", "'wgmma' is not implemented"},
      {"launches", "line 24", "kernels that launch kernels are not implemented"}};
  for (const auto& [name, line, reason] : reasons) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(get(name), CUDA_ERROR_INVALID_PTX) << name;
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("'" + std::string(name) + "' cannot be used"), std::string::npos) << said;
    EXPECT_NE(said.find(line), std::string::npos) << said;
    EXPECT_NE(said.find(reason), std::string::npos) << said;
  }
}

TEST(cuModuleGetFunction, RefusesAKernelThatLacksSomethingAndNoOther) {
  const Scene scene;
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, some_lack.c_str()));
  OK(cuModuleGetFunction(&function, module, "good"));
  expect_good_runs(function);
  expect_refusals([&](const char* name) { return cuModuleGetFunction(&function, module, name); });
  unsigned count = 0;
  OK(cuModuleGetFunctionCount(&count, module));
  ASSERT_EQ(count, 3u);
  CUfunction functions[3];
  OK(cuModuleEnumerateFunctions(functions, 3, module));
  const char* name = nullptr;
  OK(cuFuncGetName(&name, functions[1]));
  EXPECT_STREQ(name, "calls");
  int value = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, functions[1]),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuLaunchKernel(functions[1], 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("not implemented"), std::string::npos);
  OK(cuModuleUnload(module));
}

TEST(cuLibraryGetKernel, RefusesAKernelThatLacksSomethingAndNoOther) {
  const Scene scene;
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  OK(cuLibraryLoadData(&library, some_lack.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cuLibraryGetKernel(&kernel, library, "good"));
  OK(cuKernelGetFunction(&function, kernel));
  expect_good_runs(function);
  expect_refusals([&](const char* name) { return cuLibraryGetKernel(&kernel, library, name); });
  CUkernel kernels[3];
  OK(cuLibraryEnumerateKernels(kernels, 3, library));
  OK(cuLibraryUnload(library));
}

TEST(cuLinkComplete, KeepsKernelsThatLackSomething) {
  const Scene scene;
  CUlinkState link;
  CUmodule module;
  CUfunction function;
  void* image = nullptr;
  size_t size = 0;
  OK(cuLinkCreate(0, nullptr, nullptr, &link));
  OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(some_lack.c_str()),
                   some_lack.size() + 1, "first", 0, nullptr, nullptr));
  const std::string other = ptx_head + ".visible .entry other() { ret; }\n";
  OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(other.c_str()), other.size() + 1,
                   "second", 0, nullptr, nullptr));
  OK(cuLinkComplete(link, &image, &size));
  OK(cuModuleLoadData(&module, image));
  OK(cuLinkDestroy(link));
  OK(cuModuleGetFunction(&function, module, "other"));
  OK(cuModuleGetFunction(&function, module, "good"));
  expect_good_runs(function);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleGetFunction(&function, module, "launches"), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("kernels that launch kernels"),
            std::string::npos);
  OK(cuModuleUnload(module));
}

}  // namespace
