// SPDX-License-Identifier: Apache-2.0
// The beginning and end of processes: children of fork(), and destructors that call the runtime.
#include <cuda.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/api/runtime/registered.hpp"

using namespace cuvette::runtime_tests;

namespace {

// Runs `body` in a child and returns its result, or -1 if the child ended in another way.
template <typename Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int launches() {
  int* device = nullptr;
  int value = 1;
  if (cudaMalloc(reinterpret_cast<void**>(&device), 4) != cudaSuccess) return 1;
  if (cudaMemcpy(device, &value, 4, cudaMemcpyHostToDevice) != cudaSuccess) return 2;
  if (launch_add(1, 1, device, 41) != cudaSuccess) return 3;
  if (cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 4;
  return value == 42 ? 0 : 5;
}

TEST(Fork, AChildUsesTheRuntimeBeforeItsParentDoes) {
  program();  // registers as compilers do before main(); the driver is not used yet
  EXPECT_EQ(in_child(launches), 0);
  EXPECT_EQ(launches(), 0);
}

TEST(Fork, AChildOfAProcessThatUsedTheRuntimeGetsTheDriversError) {
  ASSERT_EQ(launches(), 0);
  const int error = in_child([] {
    int* device = nullptr;
    const cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&device), 4);
    CUdeviceptr memory = 0;
    // Runtime and driver give the same error.
    return static_cast<CUresult>(error) == cuMemAlloc(&memory, 4) ? static_cast<int>(error) : 99;
  });
  EXPECT_EQ(error, cudaErrorInitializationError);
  EXPECT_EQ(launches(), 0);
}

// The parent has initialised the driver, but has no context yet.
TEST(Fork, AChildOfAProcessThatOnlyAskedGetsTheDriversError) {
  EXPECT_EQ(in_child([] {
              int devices = 0;
              if (cudaGetDeviceCount(&devices) != cudaSuccess) return 98;
              return in_child([] { return static_cast<int>(cudaSetDevice(0)); });
            }),
            cudaErrorInitializationError);
}

// Destroyed after main(), like a program's global: the runtime may answer that it is unloading, and
// must neither crash nor hang.
struct FreedAtExit {
  int* device = nullptr;
  ~FreedAtExit() {
    const cudaError_t error = cudaFree(device);
    if (error != cudaSuccess && error != cudaErrorCudartUnloading) _exit(9);
  }
};

TEST(Exit, ADestructorFreesDeviceMemory) {
  EXPECT_EXIT(
      {
        static FreedAtExit global;
        if (cudaMalloc(reinterpret_cast<void**>(&global.device), 4) != cudaSuccess) _exit(8);
        if (launches() != 0) _exit(7);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Exit, ADestructorThatIsTheFirstToCallTheRuntime) {
  EXPECT_EXIT(
      {
        static const FreedAtExit global;
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
