// SPDX-License-Identifier: Apache-2.0
// Errors and the last error. Expected values are those of an H200 with CUDA 13.0.
#include <gtest/gtest.h>

#include <thread>

#include "tests/api/runtime/registered.hpp"

namespace cuvette::runtime_tests {
namespace {

TEST(cudaGetLastError, IsTheLastFailureAndIsTakenAway) {
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  int device = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(cudaGetLastError, IsOfTheThread) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

TEST(cudaStreamQuery, NotReadyIsNoError) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  static std::atomic<bool> go{false};
  ASSERT_EQ(cudaLaunchHostFunc(
                stream,
                [](void*) {
                  while (!go.load()) std::this_thread::yield();
                },
                nullptr),
            cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  go.store(true);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST(cudaGetErrorName, NamesEveryCode) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidPitchValue), "cudaErrorInvalidPitchValue");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorUnknown), "cudaErrorUnknown");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(123456)), "unrecognized error code");
}

TEST(cudaGetErrorString, DescribesEveryCode) {
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidPitchValue), "invalid pitch argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidDeviceFunction), "invalid device function");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(123456)), "unrecognized error code");
  for (int code = 0; code <= 999; ++code) {
    const bool named =
        std::string(cudaGetErrorName(static_cast<cudaError_t>(code))) != "unrecognized error code";
    const bool described = std::string(cudaGetErrorString(static_cast<cudaError_t>(code))) !=
                           "unrecognized error code";
    EXPECT_EQ(named, described) << code;
  }
}

// A kernel's fault stays with its context: every call that needs the context returns it.
TEST(cudaDeviceSynchronize, AFaultStays) {
  program();
  int* far = reinterpret_cast<int*>(uintptr_t{1} << 44);
  void* arguments[] = {&far};
  ASSERT_EQ(
      cudaLaunchKernel(reinterpret_cast<const void*>(&store_far), 1, 1, arguments, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorIllegalAddress);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
}

TEST(cudaMalloc, ZeroBytesAreNull) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
}

TEST(cudaMalloc, MoreThanThereIs) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST(cudaRuntimeGetVersion, IsThatOfTheHeaders) {
  int version = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, CUDART_VERSION);
  EXPECT_EQ(cudaRuntimeGetVersion(nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace cuvette::runtime_tests
