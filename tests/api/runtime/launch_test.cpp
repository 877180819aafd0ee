// SPDX-License-Identifier: Apache-2.0
// Launches of registered kernels. Expected values are those of an H200 with CUDA 13.0.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/api/runtime/registered.hpp"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFun);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream);
}

namespace cuvette::runtime_tests {
namespace {

// CUDA 12 has an error of its own for grids and blocks.
constexpr cudaError_t invalid_configuration =
    CUDART_VERSION < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;

struct Numbers {
  explicit Numbers(int count) : count(count) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), count * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemset(device, 0, count * sizeof(int)), cudaSuccess);
  }
  ~Numbers() { cudaFree(device); }
  std::vector<int> read() const {
    std::vector<int> host(count);
    EXPECT_EQ(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return host;
  }
  int count;
  int* device = nullptr;
};

TEST(cudaLaunchKernel, RunsARegisteredKernel) {
  Numbers numbers(32);
  EXPECT_EQ(launch_add(1, 32, numbers.device, 3), cudaSuccess);
  EXPECT_EQ(launch_add(1, 32, numbers.device, 4), cudaSuccess);
  EXPECT_EQ(numbers.read(), std::vector<int>(32, 7));
}

TEST(cudaLaunchKernel, RefusesWhatNoDeviceCouldRun) {
  Numbers numbers(32);
  const auto last = [] { return cudaGetLastError(); };
  EXPECT_EQ(launch_add(0, 32, numbers.device, 1), invalid_configuration);
  EXPECT_EQ(last(), invalid_configuration);
  EXPECT_EQ(launch_add(1, 0, numbers.device, 1), invalid_configuration);
  EXPECT_EQ(launch_add(1, 1025, numbers.device, 1), invalid_configuration);
  EXPECT_EQ(launch_add(1, dim3{1, 1, 65}, numbers.device, 1), invalid_configuration);
  EXPECT_EQ(launch_add(dim3{1, 65536, 1}, 32, numbers.device, 1), invalid_configuration);
  EXPECT_EQ(launch_add(1, 32, numbers.device, 1, nullptr, 300000), cudaErrorInvalidValue);
  EXPECT_EQ(last(), cudaErrorInvalidValue);
  EXPECT_EQ(last(), cudaSuccess);
  EXPECT_EQ(numbers.read(), std::vector<int>(32, 0));
}

TEST(cudaLaunchKernel, RefusesAnAddressThatIsNoKernel) {
  int none = 0;
  EXPECT_EQ(cudaLaunchKernel(&none, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

TEST(cudaLaunchKernel, TakesAKernelHandleForAnAddress) {
  program();
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(cudaGetKernel(&kernel, reinterpret_cast<const void*>(&add)), cudaSuccess);
  Numbers numbers(4);
  int value = 9;
  void* arguments[] = {&numbers.device, &value};
  EXPECT_EQ(cudaLaunchKernel(kernel, 1, 4, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(numbers.read(), std::vector<int>(4, 9));
}

TEST(cudaLaunchKernel, WorksFromManyThreadsAtOnce) {
  constexpr int threads = 8, launches = 50;
  program();
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([] {
      Numbers numbers(16);
      for (int k = 0; k < launches; ++k)
        ASSERT_EQ(launch_add(1, 16, numbers.device, k), cudaSuccess);
      EXPECT_EQ(numbers.read(), std::vector<int>(16, launches * (launches - 1) / 2));
    });
  for (std::thread& thread : all) thread.join();
}

TEST(cudaLaunchKernelExC, RunsARegisteredKernel) {
  program();
  Numbers numbers(8);
  int value = 2;
  void* arguments[] = {&numbers.device, &value};
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 8;
  EXPECT_EQ(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&add), arguments),
            cudaSuccess);
  EXPECT_EQ(numbers.read(), std::vector<int>(8, 2));
  EXPECT_EQ(cudaLaunchKernelExC(nullptr, reinterpret_cast<const void*>(&add), arguments),
            cudaErrorInvalidValue);
}

TEST(cudaLaunchCooperativeKernel, RunsARegisteredKernel) {
  program();
  Numbers numbers(8);
  int value = 6;
  void* arguments[] = {&numbers.device, &value};
  EXPECT_EQ(
      cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&add), 1, 8, arguments, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(numbers.read(), std::vector<int>(8, 6));
}

// A launch may occur in the arguments of another launch.
TEST(__cudaPushCallConfiguration, Nests) {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
            cudaErrorMissingConfiguration);
  EXPECT_EQ(__cudaPushCallConfiguration(dim3{1, 2, 3}, dim3{4, 5, 6}, 7, cudaStreamLegacy), 0u);
  EXPECT_EQ(__cudaPushCallConfiguration(dim3{8, 1, 1}, dim3{9, 1, 1}, 0, nullptr), 0u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 8u);
  EXPECT_EQ(block.x, 9u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.z, 3u);
  EXPECT_EQ(block.y, 5u);
  EXPECT_EQ(shared, 7u);
  EXPECT_EQ(stream, cudaStreamLegacy);
  cudaGetLastError();
}

TEST(__cudaLaunchKernel, LaunchesWhatCudaGetKernelFound) {
  program();
  Numbers numbers(8);
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, reinterpret_cast<const void*>(&add)), cudaSuccess);
  int value = 5;
  void* arguments[] = {&numbers.device, &value};
  EXPECT_EQ(__cudaLaunchKernel(kernel, 1, 8, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(numbers.read(), std::vector<int>(8, 5));
  int none = 0;
  EXPECT_EQ(__cudaGetKernel(&kernel, &none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(__cudaLaunchKernel(kernel, 1, 8, arguments, 0, nullptr),
            cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST(cudaFuncGetAttributes, DescribesTheKernel) {
  program();
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&add)), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 * 1024);
  EXPECT_EQ(attributes.sharedSizeBytes, 0u);
  int none = 0;
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFuncGetAttributes(nullptr, reinterpret_cast<const void*>(&add)),
            cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(cudaFuncGetName, IsTheNameThatWasRegistered) {
  program();
  const char* name = nullptr;
  ASSERT_EQ(cudaFuncGetName(&name, reinterpret_cast<const void*>(&add)), cudaSuccess);
  EXPECT_STREQ(name, "add");
}

// A shared library that is closed takes its kernels with it.
TEST(__cudaUnregisterFatBinary, ItsKernelsAndVariablesAreGone) {
  static char kernel, variable;
  Numbers numbers(4);
  {
    Registered other(ptx);
    other.kernel(&kernel, "add");
    other.variable(&variable, "counter", 4);
    other.end();
    int value = 1;
    void* arguments[] = {&numbers.device, &value};
    EXPECT_EQ(cudaLaunchKernel(&kernel, 1, 4, arguments, 0, nullptr), cudaSuccess);
    int read = 0;
    EXPECT_EQ(cudaMemcpyFromSymbol(&read, &variable, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(read, 7 + 4);
  }
  EXPECT_EQ(cudaLaunchKernel(&kernel, 1, 4, nullptr, 0, nullptr), cudaErrorInvalidResourceHandle);
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, &variable), cudaErrorInvalidSymbol);
  EXPECT_EQ(numbers.read(), std::vector<int>(4, 1));
  cudaGetLastError();
}

// Errors in a fat binary are reported at each use, and not before.
TEST(__cudaRegisterFatBinary, GarbageIsTellableOnlyWhenItIsUsed) {
  static char kernel;
  Registered broken(".version 7.0\n.target sm_75\n.address_size 64\nnonsense\n");
  broken.kernel(&kernel, "add");
  broken.end();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_NE(cudaLaunchKernel(&kernel, 1, 1, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_NE(cudaLaunchKernel(&kernel, 1, 1, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace cuvette::runtime_tests
