// SPDX-License-Identifier: Apache-2.0
// Decompresses entries of fat binaries, which are compressed in one of two ways.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim/base/byte_view.hpp"

namespace cuvette::image {

// Decompress `bytes`, which must come to exactly `size` bytes; nothing for any other size or a
// damaged input. They take no more memory than the result and the format's window, which is 128 MiB
// at most.
std::optional<std::string> decompress_zstd(ByteView bytes, size_t size);
std::optional<std::string> decompress_lz4(ByteView bytes, size_t size);

}  // namespace cuvette::image
