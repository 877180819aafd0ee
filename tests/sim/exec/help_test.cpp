// SPDX-License-Identifier: Apache-2.0
// help_until(): a waiting thread runs the work that it waits for.
#include <gtest/gtest.h>

#include <vector>

#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

constexpr Patience all_patiences[] = {Patience::spin, Patience::yield, Patience::block,
                                      Patience::automatic};

TEST(HelpUntil, RunsUnofferedItemsItself) {
  for (const Patience patience : all_patiences) {
    const auto queue = make_ref<WorkQueue>();
    std::thread::id runner;
    queue->add([&] { runner = std::this_thread::get_id(); });
    help_until(*queue, 1, patience);
    EXPECT_EQ(runner, std::this_thread::get_id());
  }
}

TEST(HelpUntil, GoesNotPastWhatItWaitsFor) {
  const auto queue = make_ref<WorkQueue>();
  std::thread::id second;
  queue->add([] {});
  queue->add([&] { second = std::this_thread::get_id(); });
  help_until(*queue, 1, Patience::automatic);
  ASSERT_TRUE(eventually([&] { return queue->reached(2); })) << "an offer is left behind";
  EXPECT_NE(second, std::this_thread::get_id());
}

TEST(HelpUntil, ReturnsAtOnceForThePast) {
  const auto queue = make_ref<WorkQueue>();
  help_until(*queue, 0, Patience::automatic);
  EXPECT_EQ(queue->completed(), 0u);
}

// Each queue is blocked on the next: a chain of any length must not recurse.
TEST(HelpUntil, FollowsAChainOfQueues) {
  constexpr int length = 20'000;
  std::vector<Ref<WorkQueue>> queues;
  std::vector<int> order;
  for (int i = 0; i < length; ++i) {
    queues.push_back(make_ref<WorkQueue>());
    queues[i]->add([&order, i] { order.push_back(i); }, i ? queues[i - 1]->at(1) : Edge{});
  }
  help_until(*queues.back(), 1, Patience::automatic);
  ASSERT_EQ(order.size(), size_t{length});
  for (int i = 0; i < length; ++i) ASSERT_EQ(order[i], i);
}

TEST(HelpUntil, SleepsUntilSomebodyElseIsDone) {
  for (const Patience patience : all_patiences) {
    const auto queue = make_ref<WorkQueue>();
    std::atomic<bool> open{false}, started{false};
    queue->submit([&] {
      started = true;
      while (!open) std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    ASSERT_TRUE(eventually([&] { return started.load(); }));
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      open = true;
    });
    help_until(*queue, 1, patience);
    EXPECT_TRUE(open);
    opener.join();
  }
}

// The runner has looked and is about to leave, the new item is not offered, and the waiter goes to
// sleep: somebody must still run the item.
TEST(HelpUntil, IsNotLeftBehindByALeavingRunner) {
  for (const Patience patience : all_patiences) {
    const auto queue = make_ref<WorkQueue>();
    std::atomic<bool> leaving{false}, go{false};
    queue->on_leaving = [&] {
      leaving = true;
      while (!go) std::this_thread::sleep_for(std::chrono::microseconds(100));
    };
    queue->submit([] {});
    ASSERT_TRUE(eventually([&] { return leaving.load(); }));
    std::atomic<bool> done{false};
    queue->add([] {});
    std::thread waiter([&] {
      help_until(*queue, 2, patience);
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go = true;
    EXPECT_TRUE(eventually([&] { return done.load(); }))
        << "the waiter sleeps, nobody runs its item";
    queue->offer();  // after a failure: lets the thread go
    waiter.join();
    ASSERT_TRUE(eventually([&] { return queue->try_claim(); }))
        << "the runner looks at our variables";
    queue->on_leaving = nullptr;
    queue->unclaim();
  }
}

TEST(HelpUntil, ServesManyWaitersOfOneQueue) {
  const auto queue = make_ref<WorkQueue>();
  int ran = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i)
        help_until(*queue, queue->add([&ran] { ++ran; }), all_patiences[t % 4]);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 8 * 300);
  EXPECT_FALSE(queue->two_runners);
}

}  // namespace
}  // namespace cuvette::exec
