// SPDX-License-Identifier: Apache-2.0
// exercise.json and the file of a learner's progress, from nobody who knows what belongs there.
// Nothing may crash; what is refused has a sentence, and what is read survives being printed.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "tests/fuzz/input.hpp"
#include "tools/cuvette/course/exercise.hpp"
#include "tools/cuvette/course/progress.hpp"

namespace {

using namespace cuvette::tools;

// Pieces of which files are made, so that most of them are nearly right.
constexpr const char* pieces[] = {"{",
                                  "}",
                                  "[",
                                  "]",
                                  ",",
                                  ":",
                                  "\"",
                                  "null",
                                  "true",
                                  "-1",
                                  "1e999",
                                  "0",
                                  "4",
                                  "\"title\":\"t\"",
                                  "\"kind\":",
                                  "\"pass\"",
                                  "\"break\"",
                                  "\"predict\"",
                                  "\"values\"",
                                  "\"count\"",
                                  "\"sectors\"",
                                  "\"checks\":[",
                                  "{\"check\":\"output\"}",
                                  "{\"check\":\"answer\"}",
                                  "{\"check\":\"budget\",",
                                  "\"most\":",
                                  "\"says\":",
                                  "\"*\":",
                                  "\"hints\":",
                                  "\"mutants\":",
                                  "\"../x\":",
                                  "\"fails\":",
                                  "\"orders\"",
                                  "\"exercises\":",
                                  "\"a\":",
                                  "\"state\":",
                                  "\"passing\"",
                                  "\"hints\":7",
                                  "\"question\":{\"asks\":\"?\",",
                                  "\"predict\":",
                                  "\"seconds\":",
                                  "\\u0000",
                                  "\xff"};

std::string file_of(Input& input) {
  std::string text;
  while (!input.empty() && text.size() < 4096) text += pieces[input.below(std::size(pieces))];
  return text;
}

void check(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void read(const std::string& text) {
  const ExerciseOrComplaint exercise = parse_exercise(text);
  check(exercise.exercise.has_value() == exercise.complaint.empty(),
        "a refusal without a sentence");
  if (exercise.exercise)
    for (const Check& one : exercise.exercise->checks) one.says_of("anything");
  const std::string printed = print_progress(parse_progress(text));
  check(print_progress(parse_progress(printed)) == printed,
        "progress that changes when it is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  read(std::string(reinterpret_cast<const char*>(data), size));
  Input input(data, size);
  read(file_of(input));
  read("{\"title\":\"t\",\"kind\":\"pass\",\"checks\":[" + file_of(input));
  return 0;
}
