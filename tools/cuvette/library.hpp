// SPDX-License-Identifier: Apache-2.0
// Where the libcuda.so.1 and the headers that belong to this command are.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <optional>

namespace cuvette::tools {

// Returns the folder with libcuda.so.1, found from the place of this executable, in a build tree
// or where it is installed; nothing if there is none.
std::optional<std::filesystem::path> library_folder();

// The same for the folder with cuda_runtime.h.
std::optional<std::filesystem::path> header_folder();

}  // namespace cuvette::tools
