// SPDX-License-Identifier: Apache-2.0
// Random programs of queues, edges, workers and helpers: every edge is obeyed, whichever thread
// runs the work.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

class OrderStress : public testing::TestWithParam<unsigned> {};

TEST_P(OrderStress, KeepsEveryEdge) {
  constexpr int queue_count = 6, submitters = 4, each = 400;
  std::vector<Ref<WorkQueue>> queues;
  for (int i = 0; i < queue_count; ++i) queues.push_back(make_ref<WorkQueue>(i % 3));
  std::atomic<int> broken{0};
  std::atomic<uint64_t> submitted[queue_count]{};

  std::vector<std::thread> threads;
  for (int t = 0; t < submitters; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(GetParam() * 100 + t);
      for (int i = 0; i < each; ++i) {
        WorkQueue& queue = *queues[random() % queue_count];
        // An item may wait for any earlier item.
        Edge after;
        if (random() % 2) {
          const size_t other = random() % queue_count;
          after = queues[other]->at(submitted[other].load());
        }
        const Edge check = after;
        const auto body = [&broken, check] {
          if (!check.reached()) ++broken;
        };
        uint64_t number;
        if (random() % 4 == 0) {
          number = queue.add(body, after);
          help_until(queue, number, Patience::automatic);
        } else {
          number = queue.submit(body, after);
        }
        for (int q = 0; q < queue_count; ++q)
          if (queues[q].get() == &queue) {
            uint64_t known = submitted[q].load();
            while (known < number && !submitted[q].compare_exchange_weak(known, number)) {
            }
          }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int q = 0; q < queue_count; ++q) {
    help_until(*queues[q], submitted[q], Patience::block);
    EXPECT_FALSE(queues[q]->two_runners);
  }
  EXPECT_EQ(broken, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OrderStress, testing::Range(0u, 8u));

}  // namespace
}  // namespace cuvette::exec
