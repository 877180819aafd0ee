// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/library.hpp"

#include <initializer_list>

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Returns the first of the folders that has the file. They are relative to the command, so that a
// tree can be moved as a whole.
std::optional<fs::path> folder_with(const char* file, std::initializer_list<const char*> folders) {
  std::error_code failure;
  const fs::path command = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return std::nullopt;
  for (const char* relative : folders) {
    const fs::path folder = fs::canonical(command.parent_path() / relative, failure);
    if (!failure && fs::exists(folder / file, failure)) return folder;
  }
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> library_folder() {
  return folder_with("libcuda.so.1", {CUVETTE_LIBRARY_INSTALLED, CUVETTE_LIBRARY_BUILT});
}

std::optional<fs::path> header_folder() {
  return folder_with("cuda_runtime.h", {CUVETTE_HEADERS_INSTALLED, CUVETTE_HEADERS_BUILT});
}

}  // namespace cuvette::tools
