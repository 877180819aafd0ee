// SPDX-License-Identifier: Apache-2.0
// Makes fat binaries. The command takes this file alone of the room.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuvette::image {

constexpr uint32_t container_magic = 0xBA55ED50;

// Returns a fat binary with one entry: this PTX, as text, for devices of compute capability
// `target` (86 for sm_86) and above.
std::string make_fat_binary(std::string_view ptx, uint32_t target);

}  // namespace cuvette::image
