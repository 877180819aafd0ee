// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>
#include <vector>

namespace cuvette::exec {
namespace {

class Counter final : public Timeline {
 public:
  using Timeline::advance;
};

class Bell final : public Waiter {
 public:
  std::atomic<int> rung{0};

 private:
  void wake() override { rung.fetch_add(1, std::memory_order_relaxed); }
};

TEST(Timeline, WakesAtTheTargetAndNotBefore) {
  const auto timeline = make_ref<Counter>();
  Bell bell;
  EXPECT_TRUE(timeline->add(bell, 3));
  timeline->advance(1);
  timeline->advance(2);
  EXPECT_EQ(bell.rung, 0);
  timeline->advance(3);
  EXPECT_EQ(bell.rung, 1);
  timeline->advance(4);
  EXPECT_EQ(bell.rung, 1) << "once";
  EXPECT_EQ(timeline->completed(), 4u);
}

TEST(Timeline, JumpsOverATarget) {
  const auto timeline = make_ref<Counter>();
  Bell bell;
  EXPECT_TRUE(timeline->add(bell, 3));
  timeline->advance(10);
  EXPECT_EQ(bell.rung, 1);
}

TEST(Timeline, RefusesAWaiterThatIsLate) {
  const auto timeline = make_ref<Counter>();
  timeline->advance(5);
  Bell bell, other;
  EXPECT_FALSE(timeline->add(bell, 5));
  EXPECT_FALSE(timeline->add(bell, 0));
  EXPECT_TRUE(timeline->add(other, 6));
  timeline->advance(6);
  EXPECT_EQ(bell.rung, 0);
  EXPECT_EQ(other.rung, 1) << "a refused waiter leaves the next target as it was";
}

TEST(Timeline, WakesEachOfManyAtItsOwnTarget) {
  const auto timeline = make_ref<Counter>();
  constexpr int count = 50;
  std::deque<Bell> bells(count);
  std::vector<int> order(count);
  for (int i = 0; i < count; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  for (const int i : order) ASSERT_TRUE(timeline->add(bells[i], i + 1));
  for (int value = 1; value <= count; ++value) {
    timeline->advance(value);
    for (int i = 0; i < count; ++i) ASSERT_EQ(bells[i].rung, i < value) << value << ' ' << i;
  }
}

TEST(Timeline, RemovedWaitersStaySilent) {
  const auto timeline = make_ref<Counter>();
  Bell first, middle, last;
  for (Bell* bell : {&first, &middle, &last}) ASSERT_TRUE(timeline->add(*bell, 1));
  timeline->remove(middle);
  timeline->remove(middle);  // not linked any more: no effect
  timeline->advance(1);
  EXPECT_EQ(first.rung, 1);
  EXPECT_EQ(middle.rung, 0);
  EXPECT_EQ(last.rung, 1);
  EXPECT_TRUE(timeline->add(middle, 2)) << "it can wait again";
  timeline->advance(2);
  EXPECT_EQ(middle.rung, 1);
}

// One thread advances while others add and remove: an accepted waiter that is not removed is woken,
// and once remove() returns its memory may be freed.
TEST(Timeline, LosesNoWaiterUnderRace) {
  const auto timeline = make_ref<Counter>();
  constexpr uint64_t last = 20'000;
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 3; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      while (timeline->completed() < last) {
        Bell bell;  // on the stack, so that sanitizers would find a late wake
        const uint64_t target = std::min<uint64_t>(last, timeline->completed() + random() % 4);
        const bool linked = timeline->add(bell, target);
        if (!linked && !timeline->reached(target)) wrong = true;
        if (linked && random() % 2 == 0)
          while (bell.rung.load() == 0) std::this_thread::yield();
        timeline->remove(bell);
        if (bell.rung > (linked ? 1 : 0)) wrong = true;
      }
    });
  for (uint64_t value = 1; value <= last; ++value) {
    timeline->advance(value);
    if (value % 64 == 0) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(wrong);
}

TEST(Edge, WithoutATimelineIsNoCondition) {
  EXPECT_TRUE(Edge{}.reached());
  const auto timeline = make_ref<Counter>();
  const Edge edge{Ref<Timeline>(timeline), 1};
  EXPECT_FALSE(edge.reached());
  timeline->advance(1);
  EXPECT_TRUE(edge.reached());
}

}  // namespace
}  // namespace cuvette::exec
