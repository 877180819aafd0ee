// SPDX-License-Identifier: Apache-2.0
// Functions: attributes, parameters, settings.
#include <cuda.h>

#include "tests/api/driver/module_scene.hpp"

namespace {

int attribute(CUfunction function, CUfunction_attribute attribute) {
  int value = -12345;
  EXPECT_EQ(cuFuncGetAttribute(&value, attribute, function), CUDA_SUCCESS) << attribute;
  return value;
}

TEST(cuFuncGetAttribute, TellsWhatThePtxSays) {
  const ModuleScene scene;
  const CUfunction plain = scene.function("plain"), shares = scene.function("shares"),
                   bounded = scene.function("bounded");
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 256);
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  EXPECT_EQ(attribute(shares, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1024);
  EXPECT_EQ(attribute(shares, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 48128);
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 16);
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_PTX_VERSION), 80);
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_BINARY_VERSION), 90);
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), -1);
  int value = 5;
  for (const int none : {-1, 16, 99})
    EXPECT_EQ(cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(none), plain),
              CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(value, 5);
  EXPECT_EQ(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_PTX_VERSION, plain),
            CUDA_ERROR_INVALID_VALUE);
  for (CUfunction bad : bad_handles<CUfunction>)
    EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, bad),
              CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncGetAttribute, OfAClusterInThePtx) {
  const Scene scene;
  CUmodule module;
  OK(cuModuleLoadData(&module,
                      ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() "
                      ".explicitcluster .reqnctapercluster 2, 1, 1 { ret; }\n"));
  CUfunction function;
  OK(cuModuleGetFunction(&function, module, "k"));
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1);
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 2);
  EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2),
            CUDA_SUCCESS);
  OK(cuModuleUnload(module));
}

// Each register is live from its load to its store: 64 bits for the address and 40 times 32 bits,
// or 64 registers if the launch bounds leave no more.
TEST(cuFuncGetAttribute, CountsRegistersThatAreLive) {
  const Scene scene;
  const auto kernel = [](const std::string& name, int count, const std::string& bounds) {
    std::string text = ".visible .entry " + name + "(.param .u64 p) " + bounds +
                       " {\n.reg .b64 %a; .reg .b32 %r<200>; ld.param.u64 %a, [p];\n";
    for (const std::string access : {"ld.global.u32 %r", "st.global.u32 [%a+"})
      for (int r = 0; r < count; ++r) {
        const std::string n = std::to_string(r), place = std::to_string(4 * r);
        text += access[0] == 'l' ? access + n + ", [%a+" + place + "];\n"
                                 : access + place + "], %r" + n + ";\n";
      }
    return text + "ret;\n}\n";
  };
  const std::string text =
      ".version 7.8\n.target sm_90\n.address_size 64\n" + kernel("forty", 40, "") +
      kernel("many", 200, "") + kernel("bounded", 200, ".maxntid 256, 1, 1") +
      kernel("fewer", 200, ".maxntid 256, 1, 1 .maxnreg 100") + kernel("none", 0, "");
  CUmodule module;
  OK(cuModuleLoadData(&module, text.c_str()));
  const auto registers = [&](const char* name, bool load) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    if (load) {
      EXPECT_EQ(cuFuncLoad(function), CUDA_SUCCESS);
    }
    return attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  };
  for (const bool load : {false, true}) {
    EXPECT_EQ(registers("forty", load), 42);
    EXPECT_EQ(registers("many", load), 64);
    EXPECT_EQ(registers("bounded", load), 202);
    EXPECT_EQ(registers("fewer", load), 100);
    EXPECT_EQ(registers("none", load), 4);
  }
  OK(cuModuleUnload(module));
}

TEST(cuFuncSetAttribute, ChecksEachValue) {
  const ModuleScene scene;
  const CUfunction plain = scene.function("plain"), shares = scene.function("shares");
  constexpr auto dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  OK(cuFuncSetAttribute(plain, dynamic, 232448));
  EXPECT_EQ(cuFuncSetAttribute(plain, dynamic, 232449), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(plain, dynamic, -1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attribute(plain, dynamic), 232448);
  EXPECT_EQ(cuFuncSetAttribute(shares, dynamic, 231425), CUDA_ERROR_INVALID_VALUE);
  OK(cuFuncSetAttribute(shares, dynamic, 231424));
  constexpr auto carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  OK(cuFuncSetAttribute(plain, carveout, 100));
  EXPECT_EQ(cuFuncSetAttribute(plain, carveout, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(plain, carveout, -2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attribute(plain, carveout), 100);
  OK(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2));
  EXPECT_EQ(attribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), 1);
  EXPECT_EQ(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 3),
            CUDA_ERROR_INVALID_VALUE);
  for (const int fixed : {-1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 16, 40})
    EXPECT_EQ(cuFuncSetAttribute(plain, static_cast<CUfunction_attribute>(fixed), 0),
              CUDA_ERROR_INVALID_VALUE)
        << fixed;
  EXPECT_EQ(cuFuncSetAttribute(nullptr, dynamic, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncGetParamInfo, TellsOffsetsAndSizes) {
  const ModuleScene scene;
  const CUfunction plain = scene.function("plain");
  const size_t expected[][2] = {{0, 8}, {8, 4}, {16, 24}};
  size_t offset = 0, size = 0;
  for (size_t i = 0; i < 3; ++i) {
    OK(cuFuncGetParamInfo(plain, i, &offset, &size));
    EXPECT_EQ(offset, expected[i][0]);
    EXPECT_EQ(size, expected[i][1]);
  }
  EXPECT_EQ(cuFuncGetParamInfo(plain, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetParamInfo(plain, ~size_t{0}, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetParamInfo(plain, 0, nullptr, &size), CUDA_ERROR_INVALID_VALUE);
  OK(cuFuncGetParamInfo(plain, 0, &offset, nullptr));
}

TEST(cuFuncGetName, IsTheKernels) {
  const ModuleScene scene;
  const char* name = nullptr;
  OK(cuFuncGetName(&name, scene.function("shares")));
  EXPECT_STREQ(name, "shares");
  EXPECT_EQ(cuFuncGetName(nullptr, scene.function("shares")), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetName(&name, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuFuncGetModule, IsWhereItWasFound) {
  const ModuleScene scene;
  CUmodule module = nullptr;
  OK(cuFuncGetModule(&module, scene.function("plain")));
  EXPECT_EQ(module, scene.module);
  EXPECT_EQ(cuFuncGetModule(nullptr, scene.function("plain")), CUDA_ERROR_INVALID_VALUE);
}

// A module with so much PTX that bodies are parsed only when they are needed.
TEST(cuFuncIsLoaded, OnceTheBodyWasRead) {
  const ModuleScene scene;
  CUfunctionLoadingState state{};
  OK(cuFuncIsLoaded(&state, scene.function("plain")));
  EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
  EXPECT_EQ(cuFuncIsLoaded(nullptr, scene.function("plain")), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncIsLoaded(&state, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncLoad, Loads) {
  const ModuleScene scene;
  OK(cuFuncLoad(scene.function("plain")));
  EXPECT_EQ(cuFuncLoad(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncSetCacheConfig, ChecksItsArguments) {
  const ModuleScene scene;
  const CUfunction plain = scene.function("plain");
  for (int config = 0; config < 4; ++config)
    OK(cuFuncSetCacheConfig(plain, static_cast<CUfunc_cache>(config)));
  EXPECT_EQ(cuFuncSetCacheConfig(plain, static_cast<CUfunc_cache>(4)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1), CUDA_ERROR_INVALID_HANDLE);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

TEST(cuFuncSetSharedMemConfig, ChecksItsArguments) {
  const ModuleScene scene;
  const CUfunction plain = scene.function("plain");
  for (int config = 0; config < 3; ++config)
    OK(cuFuncSetSharedMemConfig(plain, static_cast<CUsharedconfig>(config)));
  EXPECT_EQ(cuFuncSetSharedMemConfig(plain, static_cast<CUsharedconfig>(3)),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
