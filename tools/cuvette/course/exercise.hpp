// SPDX-License-Identifier: Apache-2.0
// Exercise: what exercise.json says of an exercise (docs/grading.md). Nothing in the file is
// trusted: teachers write their own.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuvette::tools {

enum class ExerciseKind : uint8_t { pass, orders, break_it, predict, budget };
enum class CheckKind : uint8_t { compile, output, reports, orders, aliases, budget, order, answer };

// The word for a check in exercise.json.
const char* name_of(CheckKind kind);

// What is computed for a prediction.
struct Prediction {
  enum class Kind : uint8_t { values, report, count };
  Kind kind = Kind::values;
  std::string checks = "all";  // report: of --check
  std::string count, kernel;   // count: a word of counts.hpp
};

struct Check {
  CheckKind kind = CheckKind::compile;
  // What is wrong with the program, in the words of the lesson; by the identifier of a report, and
  // "*" for all others. Every check has "*".
  std::map<std::string, std::string> says;
  std::string checks = "all";  // reports, and order: of --check; order: empty if none is needed
  std::string report;         // order: the report by which the program must fail; empty: by any way
  bool differs = true;        // orders: a result unlike the one in the order of submission fails
  std::string count, kernel;  // budget
  double most = 0;            // budget
  Prediction prediction;      // answer

  const std::string& says_of(const std::string& report) const;
};

// How a start or a mutant must fail.
struct Promise {
  std::string check;   // the word for a check
  std::string report;  // the identifier; empty: any
};

struct Question {
  std::string asks;
  Prediction prediction;
  std::string program;  // start, solution or program
};

struct Exercise {
  std::filesystem::path folder;
  std::string id;  // 02-streams/1-wait; of a teacher's own the folder's name
  std::string title;
  ExerciseKind kind = ExerciseKind::pass;
  double minutes = 0;
  double seconds = 10;  // that a run may take
  std::vector<std::string> needs, concepts, compile, arguments, hints;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<Check> checks;
  std::string explanation;
  std::optional<Question> question;
  Promise start;
  std::map<std::string, Promise> mutants;  // by their files

  bool is_program() const {
    return kind != ExerciseKind::break_it && kind != ExerciseKind::predict;
  }
  // The names of the learner's file, and of the file that it begins as.
  const char* submission_name() const;
  const char* start_name() const;
  // Where the solution is; a prediction needs none.
  std::filesystem::path solution() const;
  // The learner's file of the program that the question is about; empty: that program has none.
  std::filesystem::path question_submission() const;
  // The source with main().
  std::filesystem::path main_source() const;
  // The check of that kind, null if there is none.
  const Check* check(CheckKind kind) const;
};

// Returns what the text of an exercise.json says, or a sentence about what is wrong with it.
struct ExerciseOrComplaint {
  std::optional<Exercise> exercise;
  std::string complaint;
};
ExerciseOrComplaint parse_exercise(std::string_view text);

// The same for a folder. Files that must be there are looked for, too.
ExerciseOrComplaint read_exercise(const std::filesystem::path& folder);

}  // namespace cuvette::tools
