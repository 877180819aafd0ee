// SPDX-License-Identifier: Apache-2.0
// The names of source files relative to their project, which are the same on every machine.
//
// Threads: any.
#pragma once

#include <string>

namespace cuvette::check {

// Returns the file's name relative to the folder of its project: the one that GitHub or GitLab has
// checked out, or else the nearest above the file that holds a `.git`. Returns the name unchanged
// if it is relative, or if the file is outside any project.
std::string project_path(const std::string& file);

}  // namespace cuvette::check
