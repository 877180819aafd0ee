// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/library.hpp"

namespace cuvette::tools {

std::optional<std::filesystem::path> library_folder() {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::path command = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return std::nullopt;
  // Both are relative to the command, so that a tree can be moved as a whole.
  for (const char* relative : {CUVETTE_LIBRARY_INSTALLED, CUVETTE_LIBRARY_BUILT}) {
    const fs::path folder = fs::canonical(command.parent_path() / relative, failure);
    if (!failure && fs::exists(folder / "libcuda.so.1", failure)) return folder;
  }
  return std::nullopt;
}

}  // namespace cuvette::tools
