// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/learn_text.hpp"

#include <algorithm>
#include <cstdio>

namespace cuvette::tools {
namespace {

using State = ExerciseProgress::State;

bool passes(const Progress& progress, const std::string& id) {
  const State state = progress.of(id).state;
  return state == State::passing || state == State::explained;
}

struct Counts {
  size_t all = 0, passing = 0, explained = 0;
};

Counts counts_of(const Course& course, const Progress& progress) {
  Counts counts;
  for (const Exercise* exercise : course.exercises()) {
    ++counts.all;
    if (passes(progress, exercise->id)) ++counts.passing;
    if (progress.of(exercise->id).state == State::explained) ++counts.explained;
  }
  return counts;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string minutes_of(double minutes) {
  char text[32];
  snprintf(text, sizeof text, "%g min", minutes);
  return minutes > 0 ? text : "";
}

}  // namespace

const Exercise* next_exercise(const Course& course, const Progress& progress,
                              const std::string& id) {
  const std::vector<const Exercise*> all = course.exercises();
  const auto here = std::ranges::find(all, id, [](const Exercise* one) { return one->id; });
  const auto is_open = [&](const Exercise* one) {
    return one->id != id && !passes(progress, one->id);
  };
  if (here != all.end())
    if (const auto later = std::find_if(here, all.end(), is_open); later != all.end())
      return *later;
  const auto first = std::ranges::find_if(all, is_open);
  if (first != all.end()) return *first;
  // Only this one is left, or none.
  return here != all.end() && !passes(progress, id) ? *here : nullptr;
}

std::string end_text(const Course& course, const Progress& progress) {
  const Counts counts = counts_of(course, progress);
  std::string text = "That was the last exercise: all " + std::to_string(counts.all) + " pass";
  text += counts.explained > 0
              ? ", and you have explained " + std::to_string(counts.explained) + " of them.\n"
              : ".\n";
  return text +
         "Now your own programs: cuvette explore -- ./my_program looks for an order in which they "
         "fail.\n";
}

std::string course_text(const Course& course, const Progress& progress) {
  std::string text;
  const std::vector<const Exercise*> all = course.exercises();
  if (all.empty()) return "The course in '" + course.folder.string() + "' has no exercises.\n";
  size_t wide = 0;
  for (const Exercise* exercise : all) wide = std::max(wide, exercise->id.size());
  for (const Lesson& lesson : course.lessons) {
    text += lesson.id + ": " + lesson.title;
    if (const std::string minutes = minutes_of(lesson.minutes); !minutes.empty())
      text += " (" + minutes + ")";
    text += "\n";
    if (!lesson.idea.empty()) text += "  " + lesson.idea + "\n";
    for (const Exercise& exercise : lesson.exercises)
      text += "  " + padded(name_of(progress.of(exercise.id).state), 9) + "  " +
              padded(exercise.id, wide) + "  " + exercise.title + "\n";
  }
  const Counts counts = counts_of(course, progress);
  text += "\n" + std::to_string(counts.passing) + " of " + std::to_string(counts.all) +
          " exercises pass, " + std::to_string(counts.explained) + " of them are explained.\n";
  const Exercise* const next = next_exercise(course, progress, "");
  if (!next) return text + end_text(course, progress);
  const bool begun = !progress.of(next->id).folder.empty();
  return text + "Next: cuvette learn " + (begun ? "watch " : "start ") + next->id + "\n";
}

std::string begun_text(const Exercise& exercise, const std::string& folder) {
  const std::string file = folder + "/" + exercise.submission_name();
  std::string text = exercise.id + ": " + exercise.title;
  if (const std::string minutes = minutes_of(exercise.minutes); !minutes.empty())
    text += " (" + minutes + ")";
  text += "\n\nRead     " + folder + "/README.md\nEdit     " + file +
          "\nWatch    cuvette learn watch " + exercise.id + "   grades it whenever you save it\n";
  if (!exercise.hints.empty())
    text += "Hints    cuvette learn hint " + exercise.id + "   one of " +
            std::to_string(exercise.hints.size()) + " at a time\n";
  return text;
}

std::string success_text(const Course& course, const Exercise& exercise, const Progress& progress) {
  std::string text;
  if (exercise.question && progress.of(exercise.id).state != State::explained)
    text += "A question about it:       cuvette learn explain " + exercise.id + "\n";
  else if (!exercise.explanation.empty())
    text += exercise.explanation + "\n\n";
  if (exercise.kind != ExerciseKind::predict)
    text += "Another way to solve it:   cuvette learn solution " + exercise.id + "\n";
  const Exercise* const next = next_exercise(course, progress, exercise.id);
  return text +
         (next ? "The next exercise:         cuvette learn next\n" : end_text(course, progress));
}

}  // namespace cuvette::tools
