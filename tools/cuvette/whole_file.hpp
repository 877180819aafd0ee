// SPDX-License-Identifier: Apache-2.0
// A file's contents as one text.
//
// Threads: any.
#pragma once

#include <optional>
#include <string>

namespace cuvette::tools {

// Returns all of a file; nothing if it cannot be read or is a folder, and errno says why.
std::optional<std::string> whole_file(const std::string& path);

}  // namespace cuvette::tools
