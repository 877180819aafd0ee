// SPDX-License-Identifier: Apache-2.0
// Fat binaries that threads register, use and give up at the same time, as threads that open and
// close libraries do.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/runtime/registered.hpp"

namespace cuvette::runtime_tests {
namespace {

constexpr int threads = 4, rounds = 20;

// Adds one to the number in each round, by a kernel that was registered for it alone.
void register_and_launch(int* number, std::atomic<int>& wrong) {
  for (int round = 0; round < rounds; ++round) {
    const char host = 0;  // its address stands for the kernel, on this thread's stack
    Registered binary(ptx);
    binary.kernel(&host, "add");
    binary.end();
    int value = 1;
    void* arguments[] = {&number, &value};
    if (cudaLaunchKernel(&host, 1, 1, arguments, 0, cudaStreamPerThread) != cudaSuccess) ++wrong;
    if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess) ++wrong;
  }
}

// Looks up what the whole program has, meanwhile.
void look_up(int* number, std::atomic<int>& wrong) {
  for (int round = 0; round < rounds; ++round) {
    void* address = nullptr;
    size_t bytes = 0;
    cudaFuncAttributes attributes;
    int value = 1;
    void* arguments[] = {&number, &value};
    if (cudaGetSymbolAddress(&address, &counter) != cudaSuccess || address == nullptr) ++wrong;
    if (cudaGetSymbolSize(&bytes, &counter) != cudaSuccess || bytes != sizeof(int)) ++wrong;
    if (cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&add)) != cudaSuccess)
      ++wrong;
    if (cudaLaunchKernel(reinterpret_cast<const void*>(&add), 1, 1, arguments, 0,
                         cudaStreamPerThread) != cudaSuccess)
      ++wrong;
    if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess) ++wrong;
  }
}

TEST(Registration, OfSeveralThreadsAtOnce) {
  program();
  int* numbers = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&numbers), 2 * threads * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemset(numbers, 0, 2 * threads * sizeof(int)), cudaSuccess);
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] { register_and_launch(numbers + i, wrong); });
    all.emplace_back([&, i] { look_up(numbers + threads + i, wrong); });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  std::array<int, 2 * threads> host{};
  ASSERT_EQ(cudaMemcpy(host.data(), numbers, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
  for (const int number : host) EXPECT_EQ(number, rounds);
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
}

// The first use of a fat binary loads it: of several threads one does, and all see the kernel.
TEST(Registration, OfWhatAllUseFirst) {
  for (int round = 0; round < 5; ++round) {
    const char host = 0;
    Registered binary(ptx);
    binary.kernel(&host, "nothing");
    binary.end();
    std::atomic<int> wrong{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&] {
        while (!go.load()) std::this_thread::yield();
        if (cudaLaunchKernel(&host, 1, 1, nullptr, 0, nullptr) != cudaSuccess) ++wrong;
      });
    go.store(true);
    for (std::thread& thread : all) thread.join();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(wrong.load(), 0);
  }
}

std::string name_of(const void* host) {
  const char* name = nullptr;
  return cudaFuncGetName(&name, host) == cudaSuccess ? name : "";
}

// Addresses of the host that stand for kernels, for others and for none, while other threads
// launch.
TEST(Registration, OfManyWhileOthersLaunch) {
  constexpr size_t many = 300;
  static char hosts[many];
  program();
  std::atomic<bool> end{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 2; ++i)
    all.emplace_back([&] {
      while (!end.load()) {
        if (cudaLaunchKernel(reinterpret_cast<const void*>(&nothing), 1, 1, nullptr, 0,
                             cudaStreamPerThread) != cudaSuccess ||
            cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess)
          ++wrong;
      }
    });
  for (int round = 0; round < 3; ++round) {
    Registered one(ptx);
    for (size_t i = 0; i < many; ++i) one.kernel(&hosts[i], i % 2 ? "add" : "nothing");
    one.end();
    for (size_t i = 0; i < many; ++i) ASSERT_EQ(name_of(&hosts[i]), i % 2 ? "add" : "nothing");
    {
      // What is registered last counts.
      Registered other(ptx);
      for (size_t i = 0; i < many / 2; ++i) other.kernel(&hosts[i], "store_far");
      other.end();
      for (size_t i = 0; i < many; ++i)
        ASSERT_EQ(name_of(&hosts[i]), i < many / 2 ? "store_far" : i % 2 ? "add" : "nothing");
    }
    for (size_t i = 0; i < many; ++i)
      ASSERT_EQ(name_of(&hosts[i]), i < many / 2 ? "" : i % 2 ? "add" : "nothing");
  }
  for (const char& host : hosts) ASSERT_EQ(name_of(&host), "");
  end.store(true);
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  cudaGetLastError();
}

}  // namespace
}  // namespace cuvette::runtime_tests
