// SPDX-License-Identifier: Apache-2.0
// ELF files: what a host compiler makes with device code inside, and what a device compiler makes.
//
// Threads: plain functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/image/bytes.hpp"

namespace cuvette::image {

// How long the file is by its head, which is 64 bytes; 0 if that is no ELF file of 64 bits.
uint64_t elf_bytes(Bytes head);

struct Elf {
  bool cubin = false;  // machine code of a GPU
  struct Section {
    std::string_view name;
    Bytes contents;
  };
  std::vector<Section> sections;
};

// None if the file is damaged.
std::optional<Elf> read_elf(Bytes file);

}  // namespace cuvette::image
