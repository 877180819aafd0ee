// SPDX-License-Identifier: Apache-2.0
// Modules: loading, lookups and unloading.
#include <cuda.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "tests/api/driver/module_scene.hpp"

namespace {

// A fat binary with a single entry of PTX.
std::string fat_binary(const std::string& text, unsigned target, unsigned short kind = 1) {
  std::string payload = text + '\0', image(16 + 64, '\0');
  payload.resize((payload.size() + 7) / 8 * 8);
  const auto put = [&](size_t at, auto value) { memcpy(image.data() + at, &value, sizeof value); };
  put(0, 0xBA55ED50u);
  put(4, static_cast<unsigned short>(1));
  put(6, static_cast<unsigned short>(16));
  put(8, 64ull + payload.size());
  put(16, kind);
  put(16 + 4, 64u);
  put(16 + 8, static_cast<unsigned long long>(payload.size()));
  put(16 + 28, target);
  return image + payload;
}

// A temporary file with these contents.
struct File {
  explicit File(const std::string& contents) {
    char name[] = "/tmp/cuvette-module-XXXXXX";
    close(mkstemp(name));
    path = name;
    std::ofstream(path, std::ios::binary) << contents;
  }
  ~File() { unlink(path.c_str()); }
  std::string path;
};

TEST(cuModuleLoadData, ChecksItsArguments) {
  const Scene scene;
  CUmodule module = reinterpret_cast<CUmodule>(7);
  EXPECT_EQ(cuModuleLoadData(nullptr, program.c_str()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(&module, "not PTX"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, wrong_body.c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(module, reinterpret_cast<CUmodule>(7));
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuModuleLoadData(&module, program.c_str()), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuModuleLoadData, TakesEachFormThatHoldsPtx) {
  const Scene scene;
  CUmodule module;
  const std::string image = fat_binary(program, 80);
  OK(cuModuleLoadData(&module, image.data()));
  unsigned count = 0;
  OK(cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(count, 3u);
  OK(cuModuleUnload(module));
  const struct {
    unsigned magic, version;
    const void *data, *more;
  } wrapper{0x466243B1, 1, image.data(), nullptr};
  OK(cuModuleLoadData(&module, &wrapper));
  OK(cuModuleUnload(module));
}

TEST(cuModuleLoadData, SaysHowToBuildWhatHasNoPtx) {
  const Scene scene;
  CUmodule module;
  const std::string image = fat_binary("machine code", 90, 2);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&module, image.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("-gencode arch=compute_75,code=compute_75"), std::string::npos) << said;
}

TEST(cuModuleLoad, ReadsAFile) {
  const Scene scene;
  CUmodule module;
  EXPECT_EQ(cuModuleLoad(&module, "/does/not/exist"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoad(&module, ""), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoad(&module, "/"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, "/dev/null"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoad(nullptr, "/does/not/exist"), CUDA_ERROR_INVALID_VALUE);
  for (const std::string& contents : {program, fat_binary(program, 80)}) {
    const File file(contents);
    OK(cuModuleLoad(&module, file.path.c_str()));
    OK(cuModuleUnload(module));
  }
}

TEST(cuModuleLoadFatBinary, TakesWhatLoadDataTakes) {
  const Scene scene;
  CUmodule module;
  EXPECT_EQ(cuModuleLoadFatBinary(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  for (const std::string& image : {program, fat_binary(program, 80)}) {
    OK(cuModuleLoadFatBinary(&module, image.data()));
    OK(cuModuleUnload(module));
  }
}

TEST(cuModuleLoadDataEx, TellsLineAndToken) {
  const Scene scene;
  CUmodule module;
  char log[200];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_WALL_TIME};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), nullptr};
  EXPECT_EQ(cuModuleLoadDataEx(&module, wrong_body.c_str(), 3, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(strstr(log, "line 6"), nullptr) << log;
  EXPECT_NE(strstr(log, "addd"), nullptr) << log;
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), strlen(log));
  // The smallest sizes of the buffer; nothing after it may be written.
  for (size_t size : {0, 1, 8}) {
    memset(log, 'x', sizeof log);
    values[1] = reinterpret_cast<void*>(size);
    EXPECT_EQ(cuModuleLoadDataEx(&module, wrong_body.c_str(), 2, options, values),
              CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(log[size], 'x');
    if (size) {
      EXPECT_EQ(strlen(log), size - 1);
    }
  }
  values[1] = reinterpret_cast<void*>(sizeof log);
  OK(cuModuleLoadDataEx(&module, program.c_str(), 3, options, values));
  EXPECT_STREQ(log, "");
  EXPECT_EQ(values[1], nullptr);
  EXPECT_NE(values[2], nullptr) << "some milliseconds, as a float";
  OK(cuModuleUnload(module));
}

TEST(cuModuleLoadDataEx, ChecksItsOptions) {
  const Scene scene;
  CUmodule module;
  const auto load = [&](int option, size_t value) {
    auto number = static_cast<CUjit_option>(option);
    void* pointer = reinterpret_cast<void*>(value);
    const CUresult result = cuModuleLoadDataEx(&module, program.c_str(), 1, &number, &pointer);
    if (result == CUDA_SUCCESS) {
      EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    }
    return result;
  };
  for (const int unknown : {-1, static_cast<int>(CU_JIT_NUM_OPTIONS), 1000})
    EXPECT_EQ(load(unknown, 0), CUDA_ERROR_INVALID_VALUE) << unknown;
  EXPECT_EQ(load(CU_JIT_MAX_REGISTERS, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(load(CU_JIT_MAX_REGISTERS, 32), CUDA_SUCCESS);
  EXPECT_EQ(load(CU_JIT_TARGET, 77), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(load(CU_JIT_TARGET, 75), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load(CU_JIT_TARGET, 80), CUDA_ERROR_INVALID_SOURCE);
  EXPECT_EQ(load(CU_JIT_TARGET, 90), CUDA_SUCCESS);
  EXPECT_EQ(load(CU_JIT_CACHE_MODE, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(load(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadDataEx(&module, program.c_str(), 1, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuModuleUnload, EndsAllHandles) {
  const Scene scene;
  CUmodule module;
  CUfunction function;
  CUdeviceptr address;
  OK(cuModuleLoadData(&module, program.c_str()));
  OK(cuModuleGetFunction(&function, module, "plain"));
  OK(cuModuleGetGlobal(&address, nullptr, module, "large"));
  OK(cuMemsetD8(address, 1, 1000));
  OK(cuModuleUnload(module));
  const char* name;
  unsigned count;
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetFunctionCount(&count, module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemsetD8(address, 1, 1000), CUDA_ERROR_INVALID_VALUE);
  for (CUmodule bad : bad_handles<CUmodule>)
    EXPECT_EQ(cuModuleUnload(bad), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuModuleUnload, IsNotNeededWhereTheContextEnds) {
  const Scene scene;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
  OK(cuModuleLoadData(&module, program.c_str()));
  OK(cuModuleGetFunction(&function, module, "plain"));
  OK(cuCtxDestroy(context));
  int value;
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuModuleUnload, MayRaceWithUses) {
  const Scene scene;
  for (int i = 0; i < 20; ++i) {
    CUmodule module;
    OK(cuModuleLoadData(&module, program.c_str()));
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
        CUfunction function;
        const char* name;
        while (cuModuleGetFunction(&function, module, "plain") == CUDA_SUCCESS)
          cuFuncGetName(&name, function);
      });
    OK(cuModuleUnload(module));
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(cuModuleGetFunction, FindsKernels) {
  const ModuleScene scene;
  CUfunction f = nullptr, g = nullptr;
  OK(cuModuleGetFunction(&f, scene.module, "plain"));
  OK(cuModuleGetFunction(&g, scene.module, "plain"));
  EXPECT_EQ(f, g);
  EXPECT_EQ(cuModuleGetFunction(&f, scene.module, "number"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&f, scene.module, ""), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&f, scene.module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(nullptr, scene.module, "plain"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&f, nullptr, "plain"), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuModuleGetFunctionCount, CountsKernels) {
  const ModuleScene scene;
  unsigned count = 0;
  OK(cuModuleGetFunctionCount(&count, scene.module));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(cuModuleGetFunctionCount(nullptr, scene.module), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuModuleEnumerateFunctions, GivesAsManyAsAreAskedFor) {
  const ModuleScene scene;
  CUfunction all[5] = {};
  OK(cuModuleEnumerateFunctions(all, 2, scene.module));
  EXPECT_NE(all[1], nullptr);
  EXPECT_EQ(all[2], nullptr);
  OK(cuModuleEnumerateFunctions(all, 5, scene.module));
  EXPECT_EQ(all[0], scene.function("plain"));
  EXPECT_NE(all[2], nullptr);
  EXPECT_EQ(all[3], nullptr);
  EXPECT_EQ(cuModuleEnumerateFunctions(nullptr, 1, scene.module), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuModuleGetGlobal, FindsVariablesWithTheirValues) {
  const ModuleScene scene;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  OK(cuModuleGetGlobal(&address, &bytes, scene.module, "number"));
  EXPECT_EQ(bytes, 4u);
  unsigned value = 0;
  OK(cuMemcpyDtoH(&value, address, 4));
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(cuMemcpyDtoH(&value, address + 1, 4), CUDA_ERROR_INVALID_VALUE);
  OK(cuModuleGetGlobal(&address, nullptr, scene.module, "managed"));
  EXPECT_EQ(*reinterpret_cast<unsigned*>(address), 9u);
  EXPECT_EQ(cuModuleGetGlobal(&address, nullptr, scene.module, "none"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(address, 0u);
  EXPECT_EQ(cuModuleGetGlobal(nullptr, nullptr, scene.module, "number"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetGlobal(&address, nullptr, scene.module, "plain"), CUDA_ERROR_INVALID_VALUE);
}

// Compilers use the lowest bit to distinguish pointers to virtual members from others.
TEST(cuModuleGetGlobal, AddressesOfFunctionsLeaveTheirLowBitsFree) {
  const ModuleScene scene;
  CUmodule module;
  OK(cuModuleLoadData(&module, R"(.version 8.0
      .target sm_80
      .address_size 64
      .func first() { ret; }
      .func second() { ret; }
      .global .align 8 .u64 table[2] = {first, second};
      )"));
  CUdeviceptr address = 0;
  OK(cuModuleGetGlobal(&address, nullptr, module, "table"));
  uint64_t functions[2] = {};
  OK(cuMemcpyDtoH(functions, address, sizeof functions));
  for (const uint64_t function : functions) {
    EXPECT_NE(function, 0u);
    EXPECT_EQ(function % 16, 0u);
  }
  EXPECT_NE(functions[0], functions[1]);
  OK(cuModuleUnload(module));
}

TEST(cuModuleGetGlobal, GivesWhatOnlyTheModuleCanFree) {
  const ModuleScene scene;
  for (const char* name : {"number", "constants", "managed"}) {
    CUdeviceptr address;
    OK(cuModuleGetGlobal(&address, nullptr, scene.module, name));
    EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE) << name;
    CUipcMemHandle handle;
    EXPECT_EQ(cuIpcGetMemHandle(&handle, address), CUDA_ERROR_INVALID_VALUE) << name;
  }
}

TEST(cuModuleGetLoadingMode, IsLazy) {
  const Scene scene;
  CUmoduleLoadingMode mode{};
  OK(cuModuleGetLoadingMode(&mode));
  EXPECT_EQ(mode, CU_MODULE_LAZY_LOADING);
  EXPECT_EQ(cuModuleGetLoadingMode(nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
