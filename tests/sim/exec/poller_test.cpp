// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/poller.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

class Flag final : public Polled {
 public:
  explicit Flag(std::atomic<int>& flag, uint64_t begin = 0, uint64_t end = 0)
      : Polled(begin, end), flag_(flag) {}
  bool look() override { return flag_.load(std::memory_order_acquire) != 0; }

 private:
  std::atomic<int>& flag_;
};

Poller& started() {
  start_workers();
  EXPECT_TRUE(Poller::get().start().ok());
  return Poller::get();
}

TEST(Poller, TakesWhatHasComeToOne) {
  Poller& poller = started();
  std::atomic<int> flag{0};
  const auto polled = make_ref<Flag>(flag);
  poller.watch(polled);
  EXPECT_FALSE(polled->reached(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(polled->reached(1));
  flag = 1;
  EXPECT_TRUE(eventually([&] { return polled->reached(1); }));
  EXPECT_TRUE(eventually([&] { return poller.watched() == 0; }));
}

TEST(Poller, AQueueWaitsForIt) {
  Poller& poller = started();
  std::atomic<int> flag{0}, ran{0};
  const auto polled = make_ref<Flag>(flag);
  const auto queue = make_ref<WorkQueue>();
  poller.watch(polled);
  const uint64_t number = queue->submit([&] { ran = 1; }, {polled, 1});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(ran, 0);
  flag = 1;
  help_until(*queue, number, Patience::automatic);
  EXPECT_EQ(ran, 1);
}

TEST(Poller, AWriterFindsOutItself) {
  Poller& poller = started();
  std::atomic<int> flag{0}, other{0};
  const auto polled = make_ref<Flag>(flag, 1000, 1004),
             elsewhere = make_ref<Flag>(other, 2000, 2004);
  poller.watch(polled);
  poller.watch(elsewhere);
  flag = 1;
  poller.written(996, 1001);
  EXPECT_TRUE(polled->reached(1));
  EXPECT_FALSE(elsewhere->reached(1));
  other = 1;
  EXPECT_TRUE(eventually([&] { return elsewhere->reached(1); }));
}

TEST(Poller, WhatAWriterCameTooLateForHasBeenToldNevertheless) {
  struct Slow final : Waiter {
    void wake() override {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      told = true;
    }
    std::atomic<bool> told{false};
  } waiter;
  Poller& poller = started();
  std::atomic<int> flag{0};
  const auto polled = make_ref<Flag>(flag, 1000, 1004);
  ASSERT_TRUE(polled->add(waiter, 1));
  poller.watch(polled);
  flag = 1;
  ASSERT_TRUE(eventually([&] { return polled->reached(1); }));  // the poller is about to wake the
                                                                // waiter
  poller.written(1000, 1004);
  EXPECT_TRUE(waiter.told);
}

TEST(Poller, LooksNoMoreOnceNothingIsWatched) {
  Poller& poller = started();
  std::atomic<int> flag{1};
  poller.watch(make_ref<Flag>(flag));
  EXPECT_TRUE(eventually([&] { return poller.watched() == 0; }));
  EXPECT_TRUE(eventually([&] {
    const uint64_t rounds = poller.rounds();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return poller.rounds() == rounds;
  }));
}

TEST(Poller, LooksAtMostAThousandTimesASecondInTheEnd) {
  Poller& poller = started();
  std::atomic<int> flag{0};
  const auto polled = make_ref<Flag>(flag);
  poller.watch(polled);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t rounds = poller.rounds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const uint64_t looks = poller.rounds() - rounds;
  const std::chrono::duration<double, std::milli> slept = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(static_cast<double>(looks), 1.25 * slept.count());
  EXPECT_TRUE(eventually([&] { return poller.rounds() > rounds; }));
  flag = 1;
  EXPECT_TRUE(eventually([&] { return polled->reached(1); }));
}

TEST(Poller, ManyThreadsWatchAndWrite) {
  Poller& poller = started();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&poller, t] {
      for (int i = 0; i < 200; ++i) {
        std::atomic<int> flag{0};
        const auto at = static_cast<uint64_t>(4096 * t + 8);
        const auto polled = make_ref<Flag>(flag, at, at + 4);
        poller.watch(polled);
        flag = 1;
        if (i % 2 == 0) poller.written(at, at + 4);
        ASSERT_TRUE(eventually([&] { return polled->reached(1); }));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cuvette::exec
