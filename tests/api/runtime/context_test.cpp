// SPDX-License-Identifier: Apache-2.0
// The context that the runtime uses, and what a reset leaves. Each test is a process of its own, so
// the primary context does not exist at its beginning. Expected values are those of an H200 with
// CUDA 13.0.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/api/runtime/registered.hpp"

namespace cuvette::runtime_tests {
namespace {

bool is_up() {
  cuInit(0);
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  return active != 0;
}

CUcontext current() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  return context;
}

TEST(cudaGetDevice, BringsNothingUp) {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_FALSE(is_up());
  EXPECT_EQ(cudaGetDevice(nullptr), cudaErrorInvalidValue);
}

TEST(cudaGetDeviceCount, BringsNothingUp) {
  int count = 0, value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_GE(count, 1);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(value, 32);
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_FALSE(is_up());
}

// The answers are kept, and several threads may be the first to ask.
TEST(cudaGetDeviceProperties, AnswersAllThreadsAlike) {
  constexpr int count = 8;
  std::vector<cudaDeviceProp> found(count);
  std::vector<std::thread> threads;
  for (cudaDeviceProp& properties : found)
    threads.emplace_back([&properties] {
      for (int i = 0; i < 100; ++i) {
        std::memset(&properties, 0xee, sizeof properties);
        ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found[0].warpSize, 32);
  for (const cudaDeviceProp& properties : found) {
    EXPECT_STREQ(properties.name, found[0].name);
    EXPECT_EQ(std::memcmp(&properties.uuid, &found[0].uuid, sizeof properties.uuid), 0);
    EXPECT_EQ(properties.totalGlobalMem, found[0].totalGlobalMem);
    EXPECT_EQ(properties.multiProcessorCount, found[0].multiProcessorCount);
    EXPECT_EQ(properties.maxGridSize[2], found[0].maxGridSize[2]);
    EXPECT_EQ(properties.unifiedFunctionPointers, found[0].unifiedFunctionPointers);
  }
  int attribute = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&attribute, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(found[0].multiProcessorCount, attribute);
  EXPECT_EQ(cudaGetDeviceProperties(&found[0], 99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties(&found[0], -1), cudaErrorInvalidDevice);
}

TEST(cudaSetDevice, BringsThePrimaryContextUp) {
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_TRUE(is_up());
  EXPECT_NE(current(), nullptr);
}

TEST(cudaSetDevice, RefusesADeviceThatIsNone) {
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
}

TEST(cudaSetValidDevices, LeavesNoContextCurrent) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  int devices[] = {0};
  EXPECT_EQ(cudaSetValidDevices(devices, 1), cudaSuccess);
  EXPECT_EQ(current(), nullptr);
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAlloc(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(current(), nullptr);
  EXPECT_EQ(cudaSetValidDevices(devices, 99), cudaErrorInvalidValue);
  EXPECT_NE(current(), nullptr);
  cudaGetLastError();
}

TEST(cudaFree, NullBringsThePrimaryContextUp) {
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_TRUE(is_up());
}

TEST(cudaMalloc, WorksInTheContextThatTheProgramMadeCurrent) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUcontext made = nullptr;
  CUctxCreateParams parameters{};
  ASSERT_EQ(cuCtxCreate(&made, &parameters, 0, 0), CUDA_SUCCESS);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 64), cudaSuccess);
  CUcontext of_pointer = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_CONTEXT,
                                  reinterpret_cast<CUdeviceptr>(pointer)),
            CUDA_SUCCESS);
  EXPECT_EQ(of_pointer, made);
  EXPECT_FALSE(is_up());
  // From now on the primary context is current.
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_NE(current(), made);
  EXPECT_TRUE(is_up());
  cuCtxDestroy(made);
}

TEST(cudaDeviceReset, EndsAllThatTheContextHad) {
  void* pointer = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const CUcontext before = current();
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_FALSE(is_up());
  EXPECT_EQ(current(), before);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_TRUE(is_up());
  EXPECT_EQ(current(), before);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

TEST(cudaDeviceReset, OtherThreadsGoOnInANewContext) {
  void* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 64), cudaSuccess);
  std::thread([] { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }).join();
  EXPECT_EQ(cudaMalloc(&pointer, 64), cudaSuccess);
  EXPECT_EQ(cudaMemset(pointer, 0, 64), cudaSuccess);
}

TEST(cudaDeviceReset, VariablesGetTheirFirstValuesAgain) {
  program();
  int value = 41;
  ASSERT_EQ(cudaMemcpyToSymbol(&counter, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, &counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 7);
}

TEST(cudaDeviceSynchronize, WorksAfterTheDriverApiHasResetTheContext) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  ASSERT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
}

TEST(cudaStreamCreate, HandlesAreTheDrivers) {
  cudaStream_t ours = nullptr;
  CUstream theirs = nullptr;
  ASSERT_EQ(cudaStreamCreate(&ours), cudaSuccess);
  EXPECT_EQ(cuStreamSynchronize(ours), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&theirs, 0), CUDA_SUCCESS);
  EXPECT_EQ(cudaStreamSynchronize(theirs), cudaSuccess);
}

}  // namespace
}  // namespace cuvette::runtime_tests
