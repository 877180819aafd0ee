// SPDX-License-Identifier: Apache-2.0
// Files that are read as a whole, and files that several processes share: one is there as a whole
// or not at all.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.hpp"

namespace cuvette::os {

// All of a regular file. Errors: file_not_found if there is none that can be read, invalid_value if
// it has more than `most` bytes.
Result<std::string> read_file(const std::string& path, size_t most);

// The same of a file that is this user's and that nobody else may change; not by way of a symbolic
// link. Errors: file_not_found if it is not.
Result<std::string> read_private_file(const std::string& path, size_t most);

// Makes `path` a file that holds `contents`, instead of what was there before: written under
// another name in the same directory and renamed, so that nobody ever reads a part of it. False if
// that failed; nothing is left then.
bool replace_file(const std::string& path, std::string_view contents);

// The directory and those above it, if they are not there. Only this user may look into those that
// are made. False if there is none in the end, or no file can be made in it.
bool make_directories(const std::string& path);

// Whether the directory is this user's and nobody else may change what is in it.
bool is_private(const std::string& path);

// The regular files in a directory, in no order.
struct DirectoryEntry {
  std::string name;
  uint64_t bytes = 0;
  int64_t used_ns = 0;  // when it was written or mark_used() was called, since 1970
};
std::vector<DirectoryEntry> list_directory(const std::string& path);
void mark_used(const std::string& path);
void remove_file(const std::string& path);

}  // namespace cuvette::os
