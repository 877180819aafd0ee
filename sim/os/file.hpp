// SPDX-License-Identifier: Apache-2.0
// Files that are read as a whole, and files that several processes share, which are complete or not
// there at all.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"

namespace cuvette::os {

// Returns all of a file. Errors: file_not_found if it cannot be read or is a directory,
// invalid_value if it has more than `most` bytes.
Result<std::string> read_file(const std::string& path, size_t most);

// Returns all of a regular file that belongs to this user and that no other user may change;
// follows no symbolic link. Errors: as above, and file_not_found if it is not such a file.
Result<std::string> read_private_file(const std::string& path, size_t most);

// Writes all of `contents`; false if that failed.
bool write_all(int fd, std::string_view contents);

// Replaces `path` by a file that holds `contents`. It is written under another name in the same
// directory and renamed, so that no reader ever sees a part of it. Returns false if that failed; no
// file is left then.
bool replace_file(const std::string& path, std::string_view contents);

// Makes the directory and those above it, where they are missing. Only this user may look into the
// directories that it makes. False if the directory is not there in the end, or no file can be made
// in it.
bool make_directories(const std::string& path);

// Returns whether the directory belongs to this user and no other user may change its content.
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
