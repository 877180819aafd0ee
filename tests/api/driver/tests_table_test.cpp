// SPDX-License-Identifier: Apache-2.0
// The table by which a test runner says where its tests begin and end (cuvetteTests.h). Each test
// is a child: it reports, and breaks its device.
#include <cuda.h>
#include <cuvetteTests.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

const cuvetteTestsTable& tests() {
  static constexpr unsigned char id[] = CUVETTE_TESTS_TABLE;
  CUuuid identifier;
  std::copy_n(id, sizeof identifier.bytes, identifier.bytes);
  const void* table = nullptr;
  EXPECT_EQ(cuGetExportTable(&table, &identifier), CUDA_SUCCESS);
  return *static_cast<const cuvetteTestsTable*>(table);
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

// The mistake of one line of the program.
void free_twice() {
  CUdeviceptr memory = 0;
  OK(cuMemAlloc(&memory, 16));
  OK(cuMemFree(memory));
  EXPECT_NE(cuMemFree(memory), CUDA_SUCCESS);
}

TEST(cuvetteTests, APlaceIsReportedOncePerTest) {
  const std::string text = run_in_child({{"CUVETTE_CHECK", "api"}}, [] {
    Scene scene;
    for (int test = 0; test < 3; ++test) {
      tests().begin();
      for (int i = 0; i < 2; ++i) free_twice();
    }
  });
  EXPECT_EQ(count(text, "[double-free]"), 3u) << text;
}

TEST(cuvetteTests, SettlesWithoutAnyPromiseToTheProgram) {
  const auto ended_after = [](bool promise) {
    return run_in_child({{"CUVETTE_CHECK", "api"}}, [promise] {
      OK(cuInit(0));
      CUcontext context = nullptr;
      OK(cuCtxCreate(&context, nullptr, 0, 0));
      std::atomic<bool> done{false};
      const auto slow = [](void* flag) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        *static_cast<std::atomic<bool>*>(flag) = true;
      };
      OK(cuLaunchHostFunc(nullptr, slow, &done));
      tests().settle();
      EXPECT_TRUE(done);
      if (promise) OK(cuCtxSynchronize());
      OK(cuCtxDestroy(context));
    });
  };
  // The work is complete, but the program cannot know that.
  EXPECT_EQ(count(ended_after(false), "[context-busy]"), 1u);
  EXPECT_EQ(ended_after(true), "");
}

TEST(cuvetteTests, KnowsWhetherTheDriverIsUsedAndWhetherADeviceIsLost) {
  run_in_child({}, [] {
    EXPECT_EQ(tests().size, sizeof(cuvetteTestsTable));
    EXPECT_EQ(tests().used(), 0);
    EXPECT_EQ(tests().lost(), CUDA_SUCCESS);
    tests().begin();
    tests().settle();
    OK(cuInit(0));
    EXPECT_EQ(tests().used(), 1);
    CUcontext context = nullptr;
    OK(cuCtxCreate(&context, nullptr, 0, 0));
    CUmodule module = nullptr;
    CUfunction trap = nullptr;
    OK(cuModuleLoadData(&module,
                        ".version 6.4\n.target sm_50\n.address_size 64\n"
                        ".visible .entry t() { trap; }\n"));
    OK(cuModuleGetFunction(&trap, module, "t"));
    OK(cuLaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    tests().settle();
    EXPECT_NE(tests().lost(), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), tests().lost());
    cuCtxDestroy(context);
    EXPECT_EQ(tests().lost(), CUDA_SUCCESS);  // another one may take its place
  });
}

TEST(cuvetteTests, TheRunnersFileHasAllReports) {
  const std::string file = testing::TempDir() + "cuvette-tests-table-" + std::to_string(getpid());
  run_in_child({{"CUVETTE_CHECK", "api"}, {"CUVETTE_TEST_REPORTS", file.c_str()}}, [] {
    Scene scene;
    free_twice();
  });
  std::ifstream in(file);
  std::string line, rest;
  std::getline(in, line);
  EXPECT_EQ(line.rfind("{\"report\":\"double-free\"", 0), 0u) << line;
  EXPECT_FALSE(std::getline(in, rest)) << rest;
  std::remove(file.c_str());
}

}  // namespace
