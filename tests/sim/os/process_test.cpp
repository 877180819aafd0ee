// SPDX-License-Identifier: Apache-2.0
#include "sim/os/process.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <thread>

namespace cuvette::os {
namespace {

TEST(available_memory, IsSomethingButNotEverything) {
  EXPECT_GT(available_memory(), 0u);
  EXPECT_LE(available_memory(), static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                                    static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

TEST(number_of_cores, IsAtLeastOneAndAtMostTheMachines) {
  EXPECT_GE(number_of_cores(), 1u);
  EXPECT_LE(number_of_cores(), static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF)));
}

TEST(number_of_cores, FollowsTheAffinity) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(number_of_cores(), 1u);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(start_thread, HasItsNameAndTakesNoAsynchronousSignals) {
  char name[16] = "";
  bool usr1 = false, segv = true;
  start_thread("a name that is too long", [&] {
    pthread_getname_np(pthread_self(), name, sizeof name);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    usr1 = sigismember(&blocked, SIGUSR1);
    segv = sigismember(&blocked, SIGSEGV);
  }).join();
  EXPECT_STREQ(name, "a name that is ");
  EXPECT_TRUE(usr1);
  EXPECT_FALSE(segv);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_FALSE(sigismember(&own, SIGUSR1)) << "the starter's own mask is as it was";
}

TEST(SignalsBlocked, HoldsForThreadsThatStartWhileItLives) {
  const auto blocks_usr1 = [] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, SIGUSR1) == 1;
  };
  bool during = false, after = true;
  {
    const SignalsBlocked blocked;
    std::thread([&] { during = blocks_usr1(); }).join();
  }
  std::thread([&] { after = blocks_usr1(); }).join();
  EXPECT_TRUE(during);
  EXPECT_FALSE(after);
  EXPECT_FALSE(blocks_usr1());
}

int* forked = nullptr;

TEST(on_fork, CallsInTheParentBeforeAndInTheChildAfter) {
  static int count = 0;
  forked = &count;
  on_fork([] { *forked += 1; }, [] { *forked += 10; });
  const pid_t child = fork();
  if (child == 0) _exit(count);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 11);
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace cuvette::os
