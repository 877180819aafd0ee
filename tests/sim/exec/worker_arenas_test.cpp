// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/worker_arenas.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
    if (round % 10 == 0) ASSERT_TRUE(eventually([&] { return runs == calls; })) << round;
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

// Becomes an unprivileged user with at most `count` more threads; false if this process cannot.
bool allow_threads(unsigned count) {
  const uid_t user = 100'000 + static_cast<uid_t>(getpid());
  const rlimit limit{1 + count, 1 + count};
  return setrlimit(RLIMIT_NPROC, &limit) == 0 && setresuid(user, user, user) == 0;
}

TEST(WorkerArenas, GoesOnWithTheWorkersThatThereAre) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which counts.";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user with other limits";
  for (const unsigned threads : {0u, 1u, 2u}) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      if (!allow_threads(threads)) _exit(2);
      static WorkerArenas& few = *new WorkerArenas(3, run);
      runs = 0;
      for (int i = 0; i < 100; ++i)
        if (few.call() != (threads > 0)) _exit(3);
      _exit(eventually([&] { return runs == (threads > 0 ? 100 : 0); }) ? 0 : 4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << threads << " threads";
  }
}

}  // namespace
}  // namespace cuvette::exec
