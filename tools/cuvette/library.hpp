// SPDX-License-Identifier: Apache-2.0
// Where the libcuda.so.1 that belongs to this command is.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <optional>

namespace cuvette::tools {

// The folder with libcuda.so.1, found from where this executable is, in a build tree and where it
// is installed; nothing if there is none.
std::optional<std::filesystem::path> library_folder();

}  // namespace cuvette::tools
