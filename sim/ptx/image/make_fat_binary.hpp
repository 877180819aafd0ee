// SPDX-License-Identifier: Apache-2.0
// Makes fat binaries. The command takes this file alone of the room.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cuvette::image {

constexpr uint32_t container_magic = 0xBA55ED50;

// PTX, as text, for devices of compute capability `target` (86 for sm_86) and above.
struct PtxFor {
  uint32_t target;
  std::string text;
};

// Returns a fat binary with an entry for each; a device takes the best for it.
std::string make_fat_binary(std::span<const PtxFor> entries);
std::string make_fat_binary(std::string_view ptx, uint32_t target);

}  // namespace cuvette::image
