// SPDX-License-Identifier: Apache-2.0
// Tests in a process of their own: the environment is read once, at cuInit, and whatever a child
// does to itself ends with it. The parent must not have called cuInit.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Variables to set in the child's environment; a null value unsets one.
using Environment = std::vector<std::pair<const char*, const char*>>;

// Runs `body` in a child and returns what it wrote to stderr. Expectations that fail there are
// failures here. A child that does not end within a minute is killed.
inline std::string run_in_child(const Environment& environment, const std::function<void()>& body) {
  int ends[2];
  if (pipe(ends) != 0) {
    ADD_FAILURE() << "no pipe";
    return {};
  }
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const auto& [name, value] : environment) {
      if (value) {
        setenv(name, value, 1);
      } else {
        unsetenv(name);
      }
    }
    // Earlier failures of the parent are not this child's.
    const auto& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
    const int before = result.total_part_count();
    body();
    fflush(stdout);
    bool failed = false;
    for (int i = before; i < result.total_part_count(); ++i)
      failed |= result.GetTestPartResult(i).failed();
    _exit(failed ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t size; (size = read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, size);
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status) << "; stderr: " << text;
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0) << "in the child; stderr: " << text;
  }
  return text;
}
