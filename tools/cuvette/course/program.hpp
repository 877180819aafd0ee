// SPDX-License-Identifier: Apache-2.0
// The program of an exercise: compiled from its main() and the learner's file, and run on Cuvette.
//
// Threads: for a process with one thread.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/course/exercise.hpp"

namespace cuvette::tools {

class ExerciseProgram {
 public:
  // `scratch`: a folder for its files. `compiler`: nvcc, or a clang; empty: the one of `cuvette
  // c++`.
  ExerciseProgram(const Exercise& exercise, std::string scratch, std::string compiler);

  // Compiles main() with the learner's file; with none if `submission` is empty.
  Ended compile(const std::filesystem::path& submission);

  using Environment = std::vector<std::pair<std::string, std::string>>;
  // Runs it as `cuvette run` does, in the order of submission unless `more` says another.
  Ended run(const Environment& more) const;
  // Runs a command of cuvette that runs it: explore.
  Ended run_by(const std::vector<std::string>& command, double seconds) const;
  // The line that runs it again in that order, from a copy of it that is kept.
  std::string repeat_line(const std::string& schedule) const;

  // A new name for a file in the scratch folder.
  std::string scratch_file(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  Environment environment() const;
  std::vector<std::string> words() const;

  const Exercise& exercise_;
  std::string scratch_, compiler_, path_;
  std::string main_, submission_;
  mutable unsigned files_ = 0;
};

}  // namespace cuvette::tools
