// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/shared_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace cuvette::memory {
namespace {

TEST(SharedLock, ChangesExcludeEachOtherAndLookups) {
  SharedLock lock;
  int a = 0, b = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5000; ++round) {
        const std::unique_lock guard(lock);
        ++a, ++b;
      }
    });
    threads.emplace_back([&] {
      for (int round = 0; round < 5000; ++round) {
        const std::shared_lock guard(lock);
        EXPECT_EQ(a, b);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(a, 10000);
}

TEST(SharedLock, LookupsDoNotExcludeEachOther) {
  SharedLock lock;
  const std::shared_lock first(lock);
  const std::shared_lock second(lock);
  SUCCEED();
}

}  // namespace
}  // namespace cuvette::memory
