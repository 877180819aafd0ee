// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/worker_arenas.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

std::atomic<int> runs{0}, inside{0}, most_inside{0};

void run() {
  const int now = ++inside;
  int most = most_inside;
  while (now > most && !most_inside.compare_exchange_weak(most, now)) {
  }
  std::this_thread::yield();
  --inside;
  ++runs;
}

// One for all tests, since its workers never end.
WorkerArenas& arenas() {
  static WorkerArenas& arenas = *new WorkerArenas(3, run);
  return arenas;
}

TEST(WorkerArenas, AnswersEachCall) {
  runs = 0;
  int calls = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i <= round % 7; ++i) {
      ASSERT_TRUE(arenas().call());
      ++calls;
    }
    if (round % 10 == 0) {
      ASSERT_TRUE(eventually([&] { return runs == calls; })) << round;
    }
  }
  EXPECT_TRUE(eventually([&] { return runs == calls; }));
  EXPECT_LE(most_inside, 3);
}

TEST(WorkerArenas, LosesNoCallUnderRace) {
  runs = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        EXPECT_TRUE(arenas().call());
        if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return runs == 8000; })) << runs;
  EXPECT_LE(most_inside, 3);
}

}  // namespace
}  // namespace cuvette::exec
