// SPDX-License-Identifier: Apache-2.0
// `cuvette learn`, from outside: a learner's way through a course of one exercise.
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/course/exercises.hpp"

namespace {

using Learn = CourseTest;

TEST_F(Learn, ListsLessonsAndWhatComesNext) {
  const Outcome outcome = shell("$C learn --course course");
  EXPECT_EQ(outcome.status, 0);
  for (const char* const text :
       {"02-streams: Streams", "Streams do not wait.", "new        02-streams/1-wait  Wait for the",
        "0 of 1 exercises pass, 0 of them are explained.",
        "Next: cuvette learn start 02-streams/1-wait"})
    EXPECT_TRUE(has(outcome, text)) << text << "\n" << outcome.output;
  EXPECT_EQ(shell("$C learn --course nowhere").status, 125);
  EXPECT_EQ(shell("$C learn dance --course course").status, 125);
  EXPECT_EQ(shell("$C learn start dance --course course").status, 125);
}

TEST_F(Learn, CopiesAnExerciseAndNeverOverwritesIt) {
  Outcome outcome = shell("$C learn start wait --course course");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "cuvette-course/02-streams/1-wait/exercise.cu")) << outcome.output;
  EXPECT_TRUE(exists("cuvette-course/02-streams/1-wait/README.md"));
  outcome = shell(
      "cd cuvette-course/02-streams/1-wait; echo mine > exercise.cu; cd ../../..; "
      "$C learn start wait --course course; cat cuvette-course/02-streams/1-wait/exercise.cu");
  EXPECT_TRUE(has(outcome, "as you left it")) << outcome.output;
  EXPECT_TRUE(has(outcome, "\nmine")) << outcome.output;
  outcome = shell(
      "$C learn reset --course course; "
      "cmp cuvette-course/02-streams/1-wait/exercise.cu $E/start.cu");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(exists("cuvette-course/02-streams/1-wait/exercise.cu.before-reset"));
}

TEST_F(Learn, GivesOneHintMoreEachTime) {
  Outcome outcome = shell("$C learn hint 2.1 --course course");
  EXPECT_TRUE(has(outcome, "Hint 1 of 2: Who waits?")) << outcome.output;
  EXPECT_FALSE(has(outcome, "An event."));
  outcome = shell("$C learn hint 2.1 --course course; $C learn hint 2.1 --course course");
  EXPECT_TRUE(has(outcome, "Hint 2 of 2: An event.")) << outcome.output;
}

TEST_F(Learn, SaysWhatComesAfterSuccess) {
  EXPECT_EQ(shell("$C learn solution 2.1 --course course").status, 1);
  EXPECT_EQ(shell("$C learn explain 2.1 --course course").status, 1);
  const Outcome outcome = shell("$C learn solution 2.1 --anyway --course course");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has(outcome, "cudaStreamWaitEvent")) << outcome.output;
}

TEST_F(Learn, GradesAgainWhenTheFileIsSaved) {
  NEEDS_CLANG();
  const Outcome outcome = shell(R"(
$C learn start 2.1 --course course > /dev/null
$C learn watch --course course > screen & watch=$!
wait_for() { for i in $(seq 600); do grep -q "$1" screen && return; sleep 0.1; done; echo "no $1"; }
wait_for 'Failed: orders'
cp $E/solution.cu saved; mv saved cuvette-course/02-streams/1-wait/exercise.cu
wait_for 'The 4 checks of this exercise pass'
wait_for 'learn explain 02-streams/1-wait'
sleep 0.3; kill -INT $watch; wait $watch; echo "watch: $?"
$C learn --course course
printf 'all right\n\n' | $C learn explain --course course; echo "explain: $?"
$C learn explain --course course --answer 'all right' --answer 'element 0: expected 1, got 0' \
  --answer 'element 1: expected 4, got 0' --answer 'element 2: expected 7, got 0'
$C learn next --course course
)");
  for (const char* const text :
       {"watch: 0", "passing    02-streams/1-wait", "Which lines can it print?",
        "1 of 1 line is right, and 3 missing.", "explain: 1", "Right.",
        "An event orders two streams.",
        "That was the last exercise: all 1 pass, and you have "
        "explained 1 of them."})
    EXPECT_TRUE(has(outcome, text)) << text << "\n" << outcome.output;
  EXPECT_FALSE(has(outcome, "no ")) << outcome.output;
}

// Progress that somebody has damaged is no reason to stop.
TEST_F(Learn, GoesOnWithADamagedFile) {
  const Outcome outcome = shell(
      "mkdir -p state/cuvette; head -c 999 /dev/urandom > state/cuvette/course.json; "
      "$C learn hint 2.1 --course course && $C learn --course course");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace
