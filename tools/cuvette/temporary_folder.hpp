// SPDX-License-Identifier: Apache-2.0
// A folder for temporary files, which is gone at the end.
//
// Threads: one.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace cuvette::tools {

class TemporaryFolder {
 public:
  // `pattern` ends with XXXXXX, which become letters that make the name unique.
  explicit TemporaryFolder(const char* pattern) {
    std::error_code failure;
    std::string path = (std::filesystem::temp_directory_path(failure) / pattern).string();
    if (!failure && mkdtemp(path.data())) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: there is none

 private:
  std::string path_;
};

}  // namespace cuvette::tools
