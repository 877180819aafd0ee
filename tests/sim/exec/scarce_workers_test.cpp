// SPDX-License-Identifier: Apache-2.0
// Where the system gives few threads. Each case is a child, and its parent must not have used
// oneTBB: a child's copy of it believes that the parent's workers are there.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "sim/exec/worker_arenas.hpp"
#include "tests/sim/exec/work_queue.hpp"
#include "tests/sim/os/allow_threads.hpp"

namespace cuvette::exec {
namespace {

std::atomic<int> runs{0};
void run() { ++runs; }

TEST(WorkerArenas, GoesOnWithTheWorkersThatThereAre) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which counts.";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user with other limits";
  for (const unsigned threads : {0u, 1u, 2u}) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      if (!os::allow_threads(threads)) _exit(2);
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
