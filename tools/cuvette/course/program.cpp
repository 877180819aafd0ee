// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "tools/cuvette/shell_word.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Compiling takes a second; a busy machine may take a minute.
constexpr double compile_seconds = 120;
constexpr size_t most_kept_output = size_t{64} << 10;

// Where programs that failed are kept, so that the learner can run them again.
fs::path kept_folder() {
  const char* const cache = getenv("XDG_CACHE_HOME");
  const char* const home = getenv("HOME");
  std::error_code failure;
  fs::path folder = cache && *cache == '/' ? fs::path(cache)
                    : home && *home        ? fs::path(home) / ".cache"
                                           : fs::temp_directory_path(failure);
  return folder / "cuvette" / "grade";
}

bool has_option(const std::vector<std::string>& words, const char* beginning) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word.rfind(beginning, 0) == 0; });
}

}  // namespace

ExerciseProgram::ExerciseProgram(const Exercise& exercise, std::string scratch,
                                 std::string compiler)
    : exercise_(exercise),
      scratch_(std::move(scratch)),
      compiler_(std::move(compiler)),
      path_((fs::path(scratch_) / "program").string()) {}

std::string ExerciseProgram::scratch_file(const char* name) const {
  return (fs::path(scratch_) / (std::to_string(files_++) + "-" + name)).string();
}

Ended ExerciseProgram::compile(const fs::path& submission) {
  main_ = exercise_.main_source().string();
  submission_ = submission.string();
  std::vector<std::string> words;
  if (compiler_ == "nvcc") {
    words = {"nvcc", "-lineinfo", "-Xcompiler", "-g", "-cudart", "shared"};
  } else {
    words = {own_command(), "c++", "-gline-tables-only"};
    if (!compiler_.empty()) words.insert(words.end(), {"--clang", compiler_});
  }
  words.insert(words.end(), exercise_.compile.begin(), exercise_.compile.end());
  if (!has_option(exercise_.compile, "-std=")) words.emplace_back("-std=c++17");
  if (!submission_.empty()) {
    // A definition on the command line would have to survive two compilers' quoting.
    const std::string header = scratch_file("exercise.h");
    std::ofstream(header) << "#define EXERCISE \"" << submission_ << "\"\n";
    words.insert(words.end(), {"-include", header});
  }
  words.insert(words.end(), {main_, "-o", path_});
  return run_child({words, {}, scratch_, compile_seconds, most_kept_output});
}

ExerciseProgram::Environment ExerciseProgram::environment() const {
  Environment environment = exercise_.environment;
  for (const std::string& need : exercise_.needs)
    if (need == "devices:2") environment.emplace_back("CUVETTE_DEVICES", "2");
  return environment;
}

std::vector<std::string> ExerciseProgram::words() const {
  std::vector<std::string> words = {"--", path_};
  words.insert(words.end(), exercise_.arguments.begin(), exercise_.arguments.end());
  return words;
}

Ended ExerciseProgram::run(const Environment& more) const {
  std::vector<std::string> command = {own_command(), "run", "--quiet"};
  const std::vector<std::string> program = words();
  command.insert(command.end(), program.begin(), program.end());
  Environment all = environment();
  all.emplace_back("CUVETTE_SCHEDULE", "eager");
  all.insert(all.end(), more.begin(), more.end());
  return run_child({command, all, scratch_, exercise_.seconds, most_kept_output});
}

Ended ExerciseProgram::run_by(const std::vector<std::string>& command, double seconds) const {
  std::vector<std::string> all = {own_command()};
  all.insert(all.end(), command.begin(), command.end());
  const std::vector<std::string> program = words();
  all.insert(all.end(), program.begin(), program.end());
  return run_child({all, environment(), scratch_, seconds, size_t{64} << 20});
}

std::string ExerciseProgram::repeat_line(const std::string& schedule) const {
  // One place for each exercise and file: it does not grow with every try.
  char name[17];
  snprintf(name, sizeof name, "%016zx", std::hash<std::string>{}(main_ + '\n' + submission_));
  const fs::path folder = kept_folder() / name;
  std::error_code failure;
  fs::create_directories(folder, failure);
  const fs::path kept = folder / "program",
                 fresh = folder / ("program." + std::to_string(getpid()));
  if (!failure) fs::copy_file(path_, fresh, fs::copy_options::overwrite_existing, failure);
  if (!failure) fs::rename(fresh, kept, failure);
  if (failure) return "";
  std::string line = "cuvette run --schedule=" + shell_word(schedule);
  for (const auto& [variable, value] : environment())
    line += " --env " + shell_word(variable + "=" + value);
  line += " -- " + shell_word(kept.string());
  for (const std::string& word : exercise_.arguments) line += " " + shell_word(word);
  return line;
}

}  // namespace cuvette::tools
