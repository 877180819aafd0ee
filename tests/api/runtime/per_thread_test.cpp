// SPDX-License-Identifier: Apache-2.0
// The functions' twins for per-thread default streams.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

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

}  // namespace
