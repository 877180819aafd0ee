// SPDX-License-Identifier: Apache-2.0
// The functions' twins for per-thread default streams.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/api/runtime/registered.hpp"

namespace {

std::atomic<bool> go{false};
void wait_for_go(void*) {
  while (!go.load()) std::this_thread::yield();
}

// The legacy stream, and so the copy, would wait for this stream.
TEST(cudaMemcpy_ptds, DoesNotWaitForTheStreamsOfOtherThreads) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  std::thread([] {
    ASSERT_EQ(cudaLaunchHostFunc(nullptr, wait_for_go, nullptr), cudaSuccess);
  }).join();
  int value = 3;
  EXPECT_EQ(cudaMemcpy(device, &value, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(device, 0, 4), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  go.store(true);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(cudaStreamQuery_ptsz, IsAboutTheThreadsOwnStream) {
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, wait_for_go, nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  std::thread([] { EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess); }).join();
  go.store(true);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
}

// Each thread's null stream orders its own work: what it copies back is what its kernels made.
TEST(cudaLaunchKernel_ptsz, OfSeveralThreadsAtOnce) {
  using namespace cuvette::runtime_tests;
  program();
  constexpr int threads = 8, rounds = 25;
  int* numbers = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&numbers), threads * sizeof(int)), cudaSuccess);
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      int* number = numbers + i;
      int seen = -1;
      int value = i + 1;
      void* arguments[] = {&number, &value};
      if (cudaMemsetAsync(number, 0, sizeof(int), nullptr) != cudaSuccess) ++wrong;
      for (int round = 1; round <= rounds; ++round) {
        if (cudaLaunchKernel(reinterpret_cast<const void*>(&add), 1, 1, arguments, 0, nullptr) !=
            cudaSuccess)
          ++wrong;
        if (cudaMemcpyAsync(&seen, number, sizeof(int), cudaMemcpyDeviceToHost, nullptr) !=
                cudaSuccess ||
            cudaStreamSynchronize(nullptr) != cudaSuccess || seen != round * (i + 1))
          ++wrong;
      }
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  std::array<int, threads> host{};
  ASSERT_EQ(cudaMemcpy(host.data(), numbers, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int i = 0; i < threads; ++i) EXPECT_EQ(host[static_cast<size_t>(i)], rounds * (i + 1));
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
}

}  // namespace
