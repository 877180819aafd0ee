// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/project_path.hpp"

#include <cstdlib>
#include <filesystem>

namespace cuvette::check {
namespace {

namespace fs = std::filesystem;

// Returns what follows the folder; empty if the file is not in it.
std::string below(const std::string& folder, const std::string& file) {
  if (folder.empty() || !file.starts_with(folder)) return "";
  if (folder.ends_with('/')) return file.substr(folder.size());
  return file.size() > folder.size() && file[folder.size()] == '/' ? file.substr(folder.size() + 1)
                                                                   : "";
}

}  // namespace

std::string project_path(const std::string& file) {
  if (!file.starts_with('/')) return file.starts_with("./") ? file.substr(2) : file;
  for (const char* const variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
    if (const char* const folder = std::getenv(variable); folder && *folder == '/')
      if (std::string path = below(folder, file); !path.empty()) return path;
  std::error_code failure;
  for (fs::path folder = fs::path(file).parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::exists(folder / ".git", failure)) return below(folder.string(), file);
  return file;
}

}  // namespace cuvette::check
