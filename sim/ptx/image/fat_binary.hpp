// SPDX-License-Identifier: Apache-2.0
// Reads fat binaries: containers of what a compiler made for several devices.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/byte_view.hpp"
#include "sim/base/error.hpp"
#include "sim/ptx/image/make_fat_binary.hpp"

namespace cuvette::image {

constexpr uint32_t wrapper_magic = 0x466243B1;

// The most bytes of decompressed PTX that one image, with all its parts, may come to.
constexpr size_t most_text = size_t{256} << 20;

// Returns how long a container is according to its head of 16 bytes; 0 if that is not a container.
uint64_t container_bytes(ByteView head);

struct Ptx {
  std::string text;
  uint32_t most_registers = 0;  // that its kernels may use: nvcc -maxrregcount; 0: any number
};

// Returns the best PTX in a container for a device of compute capability `target`. Errors:
// invalid_image, no_binary_for_gpu; `sentence` says what there is instead.
Result<Ptx> best_ptx(ByteView container, uint32_t target, std::string& sentence);

// Returns how many registers each kernel takes in the machine code that a container has for a
// device of compute capability `target`; nothing if it has none, or something there is damaged.
std::map<std::string, uint32_t> registers_in_container(ByteView container, uint32_t target);

}  // namespace cuvette::image
