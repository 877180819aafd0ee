// SPDX-License-Identifier: Apache-2.0
// `cuvette step --plain`, with programs that are run.
#include <gtest/gtest.h>

#include "tests/tools/shell.hpp"

namespace {

// Gives the words to the command, each as a line.
Outcome step(const std::string& words, const std::string& program,
             const std::string& options = "") {
  return shell("printf '%s\\n' " + words + " | $C step --plain " + options +
               " -- '" STEPPED_PROGRAM "' " + program);
}

class CuvetteStep : public testing::Test {
 protected:
  void SetUp() override {
    if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer's runs take too long";
  }
};

TEST_F(CuvetteStep, BeginsBeforeAnythingHasRun) {
  const Outcome outcome = step("quit", "streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "step 0 of 3: nothing has run yet")) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: is in cuCtxSynchronize, called at ")) << outcome.output;
  EXPECT_TRUE(has(outcome, "1.1     ready    fill")) << outcome.output;
  EXPECT_TRUE(has(outcome, "2.1     ready    copy")) << outcome.output;
  EXPECT_TRUE(has(outcome, "stepped.cpp:")) << outcome.output;
  EXPECT_TRUE(has(outcome, "printed\n  submitted\n")) << outcome.output;
  EXPECT_TRUE(has(outcome, "next: 1.1")) << outcome.output;
}

TEST_F(CuvetteStep, ShowsTheBytesThatACommandChanges) {
  const Outcome outcome = step("next next 'next 9'", "streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "int      [7] [7] [7] [7] [7] [7] [7] [7]")) << outcome.output;
  EXPECT_TRUE(has(outcome, "changed, was: ? ? ? ?")) << outcome.output;
  EXPECT_TRUE(has(outcome, "copy 0.1 wrote 32 B there")) << outcome.output;
  EXPECT_TRUE(has(outcome, "  the copy has 7\n")) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: has ended with exit status 0")) << outcome.output;
}

TEST_F(CuvetteStep, RunsAgainWithTheCommandThatIsChosen) {
  const Outcome outcome = step("'choose 2.1' 'next 9' save", "streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "step 1 of 3: 2.1 (copy) has run")) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: has ended with exit status 1")) << outcome.output;
  EXPECT_TRUE(has(outcome, "cuvette run --schedule=replay:")) << outcome.output;
}

TEST_F(CuvetteStep, RefusesAWaitingCommandAndSaysWhy) {
  const Outcome outcome = step("'choose 2.1' 'choose 2.2'", "event");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "2.1 (event wait) is not ready: it waits for 1.2 (event)."))
      << outcome.output;
  EXPECT_TRUE(has(outcome, "2.2 (copy) is not ready: it waits for 2.1 (same stream)."))
      << outcome.output;
}

TEST_F(CuvetteStep, NamesTheLegacyStream) {
  const Outcome outcome = step("'choose 0.1'", "legacy");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "0.1 (fill) is not ready: it waits for 3.1 (legacy stream)."))
      << outcome.output;
}

TEST_F(CuvetteStep, GoesBackAndTakesChoicesBack) {
  const Outcome outcome = step("'choose 2.1' back undo 'to 2.1'", "streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "> back\nstep 0 of 3")) << outcome.output;
  EXPECT_TRUE(has(outcome, "> to 2.1\nstep 2 of 3: 2.1 (copy) has run")) << outcome.output;
}

TEST_F(CuvetteStep, LetsACommandRunBeforeTheProgramGoesOn) {
  EXPECT_TRUE(has(step("'next 9'", "reads"), "\n  it reads 0\n"));
  const Outcome outcome = step("'rush 1.2' 'next 9' undo 'next 9' 'rush 4.4'", "reads");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "> rush 1.2\nstep 2 of 2: 1.2 (copy) has run")) << outcome.output;
  EXPECT_TRUE(has(outcome, "\n  it reads 7\n")) << outcome.output;
  EXPECT_TRUE(has(outcome, "\n  it reads 0\n")) << outcome.output;
  EXPECT_TRUE(has(outcome, "4.4 does not exist")) << outcome.output;
}

TEST_F(CuvetteStep, ExplainsWhatNothingOrders) {
  const Outcome outcome = step("'explain 2.1'", "streams");
  EXPECT_TRUE(has(outcome, "1.1 (fill) writes bytes 0 to 31 of allocation 1, which this one reads"))
      << outcome.output;
  EXPECT_TRUE(has(step("'explain 2.2'", "event"), "1.1 (fill)") == false);
}

TEST_F(CuvetteStep, StepsThroughTheBranchesOfAGraph) {
  const Outcome outcome = step("'next 2' 'choose 1.1.3' save", "graph");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "graph 1.1 (branch 2)")) << outcome.output;
  EXPECT_TRUE(has(outcome, "step 3 of 4: 1.1.3 (fill) has run")) << outcome.output;
  EXPECT_TRUE(has(outcome, "1.1.2   ready")) << outcome.output;
}

TEST_F(CuvetteStep, WatchesWhatItIsTold) {
  const Outcome outcome = step("'next 9' 'watch 2+4:hex[4]' 'watch 99' 'watch x:y'", "streams",
                               "--watch=first=1:unsigned[2]");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "  1 first    unsigned 7 7 ")) << outcome.output;
  EXPECT_TRUE(has(outcome, "  2+4        hex      07 00 00 00")) << outcome.output;
  EXPECT_TRUE(has(outcome, "There is no allocation '99'")) << outcome.output;
  EXPECT_TRUE(has(outcome, "'x:y' is not [NAME=]ALLOCATION")) << outcome.output;
}

TEST_F(CuvetteStep, ShowsAProgramThatCrashes) {
  const Outcome outcome = step("'next 9' 'choose 1.2'", "crash");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "The program has ended before 1.2 (fill) took place")) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: was ended by signal 11")) << outcome.output;
  EXPECT_TRUE(has(outcome, "step 1 of 1")) << outcome.output;
  EXPECT_TRUE(has(outcome, "1.2     ready")) << outcome.output;
}

TEST_F(CuvetteStep, EndsAProgramThatHangs) {
  const Outcome outcome = step("'next 9'", "hang", "--timeout=3");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: did not end within 3 s, and was stopped")) << outcome.output;
}

TEST_F(CuvetteStep, SaysThatItShowsOneProcess) {
  const Outcome outcome = step("quit", "processes");
  EXPECT_TRUE(has(outcome, "note: 2 processes used devices")) << outcome.output;
}

TEST_F(CuvetteStep, FollowsAProgramThatDoesSomethingElseInAnotherOrder) {
  const Outcome outcome = step("'choose 2.1' 'next 99'", "polls");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "step 1 of ")) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: has ended with exit status 0")) << outcome.output;
}

TEST_F(CuvetteStep, HasNothingToShowOfAProgramWithoutCommands) {
  const Outcome outcome = step("next", "nothing");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "step 0 of 0")) << outcome.output;
  EXPECT_TRUE(has(outcome, "program: has ended with exit status 0")) << outcome.output;
}

TEST_F(CuvetteStep, RefusesWordsThatItDoesNotKnow) {
  const Outcome outcome =
      step("jump 'next x' 'to one' 'choose' 'next 1 2' '# a remark' help", "event");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_TRUE(has(outcome, "'jump' is not a word of cuvette step")) << outcome.output;
  EXPECT_TRUE(has(outcome, "'x' is not a number of commands")) << outcome.output;
  EXPECT_TRUE(has(outcome, "'one' is not a command, such as 1.3")) << outcome.output;
  EXPECT_TRUE(has(outcome, "'choose' needs to be told more")) << outcome.output;
  EXPECT_TRUE(has(outcome, "'2' is one word too many")) << outcome.output;
  EXPECT_TRUE(has(outcome, "explain COMMAND")) << outcome.output;
}

TEST_F(CuvetteStep, SaysThatThereIsNoSuchProgram) {
  const Outcome outcome = shell("$C step --plain -- /no/such/program </dev/null");
  EXPECT_EQ(outcome.status, 127);
  EXPECT_TRUE(has(outcome, "cuvette step: cannot start")) << outcome.output;
}

}  // namespace
