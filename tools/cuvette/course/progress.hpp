// SPDX-License-Identifier: Apache-2.0
// Progress: how far a learner is, in a file of the user's own. Whatever is in the file, reading it
// gives something: what makes no sense is left out.
//
// Threads: any. Processes: each change reads the file, changes one exercise and replaces the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cuvette::tools {

struct ExerciseProgress {
  enum class State : uint8_t { fresh, failing, passing, explained };
  State state = State::fresh;
  size_t hints = 0;    // that were given
  size_t tries = 0;    // graded submissions
  std::string folder;  // that it was copied to
};

const char* name_of(ExerciseProgress::State state);

struct Progress {
  std::map<std::string, ExerciseProgress> exercises;  // by id
  std::string current;                                // the id of the one begun last

  ExerciseProgress of(const std::string& id) const;
};

Progress parse_progress(std::string_view text);
std::string print_progress(const Progress& progress);

// $XDG_STATE_HOME/cuvette/course.json, or below ~/.local/state.
std::filesystem::path progress_file();
Progress read_progress();
// Returns whether the change is in the file.
bool change_progress(const std::function<void(Progress&)>& change);

}  // namespace cuvette::tools
