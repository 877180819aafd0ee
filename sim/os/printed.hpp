// SPDX-License-Identifier: Apache-2.0
// How much the program has printed.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>

namespace cuvette::os {

// Returns how many bytes the file has that is the standard output; nothing if that is no regular
// file. What waits in the C library's buffer is written first, unless a thread prints right now.
std::optional<int64_t> bytes_printed();

}  // namespace cuvette::os
