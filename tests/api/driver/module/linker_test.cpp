// SPDX-License-Identifier: Apache-2.0
// Linking through the driver's functions; what comes of names is tests/sim/ptx/linker_test.cpp's.
#include <cuda.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

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
    if (state) EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
  }
  CUresult add(const std::string& text) {
    return cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()),
                            text.size() + 1, "one", 0, nullptr, nullptr);
  }
  char log[1000] = "";
  void* values[2];  // written to until the link is destroyed
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
  // It can be linked again, as a cubin can.
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
