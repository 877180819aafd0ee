// SPDX-License-Identifier: Apache-2.0
// A grade in words, and as the documents that other programs read.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/course/grading.hpp"

namespace cuvette::tools {

// What a learner reads. `hints_taken`: of this exercise so far.
std::string text_of(const Exercise& exercise, const Grade& grade, size_t hints_taken);

// Three states (pass, fail, error) and a test for each check that was run, as Exercism's runners
// write them.
std::string json_of(const Exercise& exercise, const Grade& grade);

struct GradedExercise {
  std::string id;
  Grade grade;
  double seconds = 0;
};
std::string junit_of(const std::vector<GradedExercise>& graded);

// The first characters of what a program has printed, whole ones of UTF-8, and what was left out.
std::string cut_output(const std::string& output);

}  // namespace cuvette::tools
