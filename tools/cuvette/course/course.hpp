// SPDX-License-Identifier: Apache-2.0
// Course: a folder of lessons, NN-slug, which hold exercises, M-name.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/course/exercise.hpp"

namespace cuvette::tools {

struct Lesson {
  std::string id, title, idea;  // 02-streams
  double minutes = 0;
  std::vector<Exercise> exercises;
};

struct Course {
  std::filesystem::path folder;
  std::vector<Lesson> lessons;
  std::vector<std::string> complaints;  // exercises that cannot be read, a sentence each

  std::vector<const Exercise*> exercises() const;
  // By id (02-streams/1-wait), number (2.1, 02.1), or name (1-wait, wait) if it is the only one.
  // Nothing otherwise; `why` says so in a sentence.
  const Exercise* find(const std::string& word, std::string& why) const;
};

// Returns `named`, or else the course that is installed with this command or belongs to the tree it
// was built from; nothing if there is none.
std::optional<std::filesystem::path> course_folder(const std::string& named);

Course read_course(const std::filesystem::path& folder);

// Returns the exercise that the word names: in the course, or a folder with exercise.json. Nothing
// otherwise; `why` says so in a sentence.
std::optional<Exercise> find_exercise(const std::string& word, const std::string& course,
                                      std::string& why);

}  // namespace cuvette::tools
