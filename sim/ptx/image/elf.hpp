// SPDX-License-Identifier: Apache-2.0
// Reads ELF files of a host compiler, with device code inside, and of a device compiler.
//
// Threads: plain functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/ptx/image/bytes.hpp"

namespace cuvette::image {

// Returns how long the file is according to its head of 64 bytes; 0 if that is no 64-bit ELF file.
uint64_t elf_bytes(Bytes head);

struct Elf {
  bool cubin = false;  // machine code of a GPU
  struct Section {
    std::string_view name;
    Bytes contents;
  };
  std::vector<Section> sections;
};

// Reads the sections of a file; nothing if it is damaged.
std::optional<Elf> read_elf(Bytes file);

}  // namespace cuvette::image
