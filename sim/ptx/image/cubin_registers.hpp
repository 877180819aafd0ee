// SPDX-License-Identifier: Apache-2.0
// How many registers kernels take on a GPU, which only machine code says.
//
// Threads: a plain function. Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/base/byte_view.hpp"

namespace cuvette::image {

// Returns the registers of a thread, by the names of the kernels and functions in a cubin; nothing
// if that is no cubin, or a damaged one.
std::map<std::string, uint32_t> registers_in_cubin(ByteView cubin);

}  // namespace cuvette::image
