// SPDX-License-Identifier: Apache-2.0
#include "sim/os/thread_limit.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "sim/os/process.hpp"
#include "tests/sim/os/allow_threads.hpp"

namespace cuvette::os {
namespace {

// Each time the room that was found is there for the thread that it was looked for.
TEST(another_thread_fits, SaysWhatTheLimitSays) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which counts.";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user with other limits";
  for (const unsigned threads : {0u, 1u, 2u}) {
    const pid_t child = fork();
    if (child == 0) {
      if (!allow_threads(threads)) _exit(2);
      std::atomic<bool> end{false};
      std::vector<std::thread> started;
      unsigned found = 0;
      for (; found < 3 && another_thread_fits(); ++found) {
        std::thread thread = start_thread("held", [&] {
          while (!end) usleep(100);
        });
        if (!thread.joinable()) _exit(3);
        started.push_back(std::move(thread));
      }
      end = true;
      for (std::thread& thread : started) thread.join();
      _exit(found == threads ? 0 : 4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << threads << " threads";
  }
}

TEST(threads_fit, CountsThemTogether) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which counts.";
#endif
  EXPECT_TRUE(threads_fit(0));
  EXPECT_TRUE(threads_fit(5));
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user with other limits";
  const pid_t child = fork();
  if (child == 0) {
    if (!allow_threads(2)) _exit(2);
    // None of them is left, so the answer is the same each time.
    for (int round = 0; round < 20; ++round)
      if (!threads_fit(2) || threads_fit(3)) _exit(3);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// A thread that is asked for more stack than it has runs the body in another one.
TEST(run_on_stack, GivesTheBodyTheStack) {
  std::thread([] {
    const size_t left = stack_left();
    ASSERT_NE(left, SIZE_MAX);
    const std::thread::id caller = std::this_thread::get_id();
    const auto runs_in = [](size_t stack) {
      std::thread::id thread;
      EXPECT_TRUE(run_on_stack(stack, [&] { thread = std::this_thread::get_id(); }));
      return thread;
    };
    EXPECT_EQ(runs_in(left / 2), caller);
    EXPECT_NE(runs_in(left + 1), caller);
  }).join();
}

}  // namespace
}  // namespace cuvette::os
