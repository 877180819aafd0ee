// SPDX-License-Identifier: Apache-2.0
// What can be known of a process by its number and the time of its start.
#include "sim/os/process_identity.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace cuvette::os;

TEST(ProcessIdentity, IsTheSameEachTime) {
  const ProcessIdentity own = own_identity();
  EXPECT_EQ(own.pid, getpid());
  EXPECT_NE(own.start, 0u);
  EXPECT_NE(own.pid_namespace, 0u);
  EXPECT_EQ(own_identity(), own);
  EXPECT_EQ(look_at(own), Sight::running);
}

TEST(ProcessIdentity, TellsAProcessFromAnotherOfItsNumber) {
  ProcessIdentity other = own_identity();
  ++other.start;
  EXPECT_EQ(look_at(other), Sight::gone);
}

TEST(ProcessIdentity, SaysNothingOfOtherNamespaces) {
  ProcessIdentity other = own_identity();
  ++other.pid_namespace;
  EXPECT_EQ(look_at(other), Sight::hidden);
  EXPECT_EQ(look_at({}), Sight::hidden);
}

// The name of a program may look like the fields behind it.
TEST(ProcessIdentity, IsNotMisledByAProgramsName) {
  const ProcessIdentity own = own_identity();
  char before[16];
  prctl(PR_GET_NAME, before);
  prctl(PR_SET_NAME, "a) Z 1 2 ) T");
  EXPECT_EQ(own_identity(), own);
  EXPECT_EQ(look_at(own), Sight::running);
  prctl(PR_SET_NAME, before);
}

TEST(ProcessIdentity, SeesAProcessStopAndEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ProcessIdentity own = own_identity();
    _exit(write(ends[1], &own, sizeof own) == sizeof own && pause());
  }
  ProcessIdentity identity;
  ASSERT_EQ(read(ends[0], &identity, sizeof identity), static_cast<ssize_t>(sizeof identity));
  EXPECT_EQ(identity.pid, child);
  EXPECT_EQ(look_at(identity), Sight::running);
  kill(child, SIGSTOP);
  ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
  EXPECT_EQ(look_at(identity), Sight::stopped);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(look_at(identity), Sight::gone);
}

}  // namespace
