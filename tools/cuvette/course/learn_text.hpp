// SPDX-License-Identifier: Apache-2.0
// What `cuvette learn` prints of a course and its exercises.
//
// Threads: any; pure functions.
#pragma once

#include <string>

#include "tools/cuvette/course/course.hpp"
#include "tools/cuvette/course/progress.hpp"

namespace cuvette::tools {

// The lessons with their exercises and how far each is, and what comes next.
std::string course_text(const Course& course, const Progress& progress);

// What to do with an exercise that lies in the folder.
std::string begun_text(const Exercise& exercise, const std::string& folder);

// What comes after a success: the explanation, and the next step.
std::string success_text(const Course& course, const Exercise& exercise, const Progress& progress);

// The first exercise after `id` that does not pass yet, then the first of all; null: all pass.
const Exercise* next_exercise(const Course& course, const Progress& progress,
                              const std::string& id);

// What is said at the end of the course.
std::string end_text(const Course& course, const Progress& progress);

}  // namespace cuvette::tools
