// SPDX-License-Identifier: Apache-2.0
// The learner's progress: kept, read again, and read from files that nobody should have written.
#include "tools/cuvette/course/progress.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "tools/cuvette/course/learn_text.hpp"

namespace {

using namespace cuvette::tools;
using State = ExerciseProgress::State;

TEST(Progress, IsReadAsItWasPrinted) {
  Progress progress;
  progress.current = "01-a/1-b";
  progress.exercises["01-a/1-b"] = {State::passing, 2, 7, "/home/me/\"x\""};
  const Progress again = parse_progress(print_progress(progress));
  EXPECT_EQ(again.current, "01-a/1-b");
  const ExerciseProgress one = again.of("01-a/1-b");
  EXPECT_EQ(one.state, State::passing);
  EXPECT_EQ(one.hints, 2u);
  EXPECT_EQ(one.tries, 7u);
  EXPECT_EQ(one.folder, "/home/me/\"x\"");
}

TEST(Progress, LeavesOutWhatMakesNoSense) {
  EXPECT_TRUE(parse_progress("").exercises.empty());
  EXPECT_TRUE(parse_progress("[1]").exercises.empty());
  const Progress progress = parse_progress(
      R"({"current": 3, "exercises": {"a": 1, "b": {"state": "wise", "hints": -3, "tries": 1e99,
          "folder": []}, "c": {"state": "failing", "hints": 1}}, "more": {}})");
  EXPECT_EQ(progress.current, "");
  EXPECT_EQ(progress.exercises.size(), 2u);
  EXPECT_EQ(progress.of("b").state, State::fresh);
  EXPECT_EQ(progress.of("b").hints, 0u);
  EXPECT_EQ(progress.of("c").state, State::failing);
}

TEST(Progress, IsKeptInTheStateFolder) {
  std::string folder = std::filesystem::temp_directory_path() / "cuvette-progress-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
  EXPECT_TRUE(change_progress([](Progress& progress) { progress.exercises["x"].hints = 1; }));
  EXPECT_TRUE(change_progress([](Progress& progress) { progress.current = "x"; }));
  EXPECT_EQ(read_progress().of("x").hints, 1u);
  EXPECT_EQ(read_progress().current, "x");
  EXPECT_EQ(progress_file(), folder + "/state/cuvette/course.json");
  unsetenv("XDG_STATE_HOME");
  std::filesystem::remove_all(folder);
}

Course two_exercises() {
  Course course;
  course.lessons.resize(1);
  course.lessons[0].id = "01-a";
  for (const char* const name : {"01-a/1-b", "01-a/2-c"}) {
    Exercise exercise;
    exercise.id = name;
    course.lessons[0].exercises.push_back(exercise);
  }
  return course;
}

TEST(NextExercise, ComesAfterThisOneThenFromTheBeginning) {
  const Course course = two_exercises();
  Progress progress;
  EXPECT_EQ(next_exercise(course, progress, "")->id, "01-a/1-b");
  EXPECT_EQ(next_exercise(course, progress, "01-a/1-b")->id, "01-a/2-c");
  EXPECT_EQ(next_exercise(course, progress, "01-a/2-c")->id, "01-a/1-b");
  progress.exercises["01-a/1-b"].state = State::explained;
  EXPECT_EQ(next_exercise(course, progress, "01-a/2-c")->id, "01-a/2-c");
  progress.exercises["01-a/2-c"].state = State::passing;
  EXPECT_EQ(next_exercise(course, progress, "01-a/2-c"), nullptr);
  EXPECT_NE(course_text(course, progress).find("That was the last exercise"), std::string::npos);
}

TEST(Course, FindsExercisesByIdNumberAndName) {
  Course course = two_exercises();
  std::string why;
  for (const char* const word : {"01-a/2-c", "1.2", "01.2", "2-c", "c"}) {
    const Exercise* const found = course.find(word, why);
    ASSERT_TRUE(found) << word << ": " << why;
    EXPECT_EQ(found->id, "01-a/2-c") << word;
  }
  EXPECT_FALSE(course.find("1.3", why));
  EXPECT_NE(why.find("'1.3' is no exercise"), std::string::npos);
  course.lessons.push_back(course.lessons[0]);
  course.lessons[1].exercises[1].id = "02-b/2-c";
  EXPECT_FALSE(course.find("c", why));
  EXPECT_EQ(why, "'c' is the name of several exercises: 01-a/2-c 02-b/2-c.");
}

}  // namespace
