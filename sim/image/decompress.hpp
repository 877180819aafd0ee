// SPDX-License-Identifier: Apache-2.0
// The two ways in which entries of fat binaries are compressed.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim/image/bytes.hpp"

namespace cuvette::image {

// What is compressed in `bytes`, which must come to exactly `size` bytes. None for anything else.
// No more memory is taken than the result has and the format's window, 128 MiB at most.
std::optional<std::string> decompress_zstd(Bytes bytes, size_t size);
std::optional<std::string> decompress_lz4(Bytes bytes, size_t size);

}  // namespace cuvette::image
