// SPDX-License-Identifier: Apache-2.0
// A fat binary with PTX in it, as a compiler hands it to the runtime.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::tools {

// Returns the bytes of a fat binary with one entry: PTX as text, for the compute capability
// `capability` (86 for sm_86).
std::string fat_binary_of(std::string_view ptx, unsigned capability);

}  // namespace cuvette::tools
