// SPDX-License-Identifier: Apache-2.0
#include "sim/os/exit_status.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace cuvette::os {
namespace {

int seven_instead_of_zero(int status) { return status == 0 ? 7 : status; }

TEST(DecideExitStatus, ChangesTheStatusOfExit) {
  EXPECT_EXIT(
      {
        decide_exit_status(seven_instead_of_zero);
        std::exit(0);
      },
      testing::ExitedWithCode(7), "");
}

TEST(DecideExitStatus, LeavesAnotherStatusAlone) {
  EXPECT_EXIT(
      {
        decide_exit_status(seven_instead_of_zero);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(DecideExitStatus, ComesAfterTheProgramsOwnHandlersAndLosesNoOutput) {
  EXPECT_EXIT(
      {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        std::atexit([] { printf("registered before"); });
        decide_exit_status(seven_instead_of_zero);
        std::exit(0);
      },
      testing::ExitedWithCode(7), "registered before");
}

TEST(DecideExitStatus, IsNotAskedInAForkedChild) {
  EXPECT_EXIT(
      {
        decide_exit_status(seven_instead_of_zero);
        const pid_t child = fork();
        if (child == 0) std::exit(0);
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) ? 100 + WEXITSTATUS(status) : 1);
      },
      testing::ExitedWithCode(100), "");
}

}  // namespace
}  // namespace cuvette::os
