// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/serial_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

TEST(SerialQueue, RunsInOrderOnWorkers) {
  const auto queue = make_ref<WorkQueue>();
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) queue->submit([&order, i] { order.push_back(i); });
  ASSERT_TRUE(eventually([&] { return queue->reached(1000); }));
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
  EXPECT_NE(queue->last_runner, std::this_thread::get_id());
  EXPECT_FALSE(queue->two_runners);
}

TEST(SerialQueue, RunsNothingThatNobodyOffers) {
  const auto queue = make_ref<WorkQueue>();
  queue->add([] {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(queue->completed(), 0u);
  queue->offer();
  EXPECT_TRUE(eventually([&] { return queue->reached(1); }));
}

TEST(SerialQueue, HasOneRunner) {
  const auto queue = make_ref<WorkQueue>();
  ASSERT_TRUE(queue->try_claim());
  EXPECT_FALSE(queue->try_claim());
  queue->submit([] {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(queue->completed(), 0u) << "the runner is here";
  queue->unclaim();  // passes the pending offer on
  EXPECT_TRUE(eventually([&] { return queue->reached(1); }));
}

TEST(SerialQueue, WaitsForAnotherTimeline) {
  const auto first = make_ref<WorkQueue>(), second = make_ref<WorkQueue>();
  std::vector<int> order;
  const uint64_t one = first->add([&] { order.push_back(1); });
  second->submit([&] { order.push_back(2); }, first->at(one));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(second->completed(), 0u);
  first->offer();
  ASSERT_TRUE(eventually([&] { return second->reached(1); }));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

// The program may drop a queue right after submitting: the ready list and the runner keep it alive.
TEST(SerialQueue, OutlivesItsOwnerWhileItHasWork) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 2000; ++i) make_ref<WorkQueue>()->submit([&ran] { ++ran; });
  EXPECT_TRUE(eventually([&] { return ran == 2000; }));
}

// Many threads offer one queue while runners come and go: each item runs once, in order.
TEST(SerialQueue, LosesNoOfferUnderRace) {
  for (int round = 0; round < 20; ++round) {
    const auto queue = make_ref<WorkQueue>();
    constexpr int threads = 4, each = 500;
    int ran = 0;  // not atomic: there is one runner at a time, and the queue orders them
    std::vector<std::thread> submitters;
    for (int t = 0; t < threads; ++t)
      submitters.emplace_back([&] {
        for (int i = 0; i < each; ++i) queue->submit([&ran] { ++ran; });
      });
    for (std::thread& thread : submitters) thread.join();
    ASSERT_TRUE(eventually([&] { return queue->reached(threads * each); })) << "an offer was lost";
    EXPECT_EQ(ran, threads * each);
    EXPECT_FALSE(queue->two_runners);
  }
}

}  // namespace
}  // namespace cuvette::exec
