// SPDX-License-Identifier: Apache-2.0
// Where the libcuda.so.1 that belongs to this command is.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <optional>

namespace cuvette::tools {

// Returns the folder with libcuda.so.1, found from the place of this executable, in a build tree
// or where it is installed; nothing if there is none.
std::optional<std::filesystem::path> library_folder();

}  // namespace cuvette::tools
