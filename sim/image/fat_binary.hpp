// SPDX-License-Identifier: Apache-2.0
// Reads and makes fat binaries: containers of what a compiler made for several devices.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "sim/image/bytes.hpp"

namespace cuvette::image {

constexpr uint32_t container_magic = 0xBA55ED50, wrapper_magic = 0x466243B1;

// Returns how long a container is according to its head of 16 bytes; 0 if that is no container.
uint64_t container_bytes(Bytes head);

// Returns the best PTX in a container for a device of compute capability `target`. Errors:
// invalid_image, no_binary_for_gpu; `sentence` says what there is instead.
Result<std::string> best_ptx(Bytes container, uint32_t target, std::string& sentence);

}  // namespace cuvette::image
