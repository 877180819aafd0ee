// SPDX-License-Identifier: Apache-2.0
// Reads ELF files of a program, for names of functions, of a host compiler, with device code
// inside, and of a device compiler.
//
// Threads: plain functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/byte_view.hpp"

namespace cuvette {

// Returns how long the file is by its head of 64 bytes; 0 if that is not a 64-bit ELF file.
uint64_t elf_bytes(ByteView head);

struct Elf {
  static constexpr uint32_t symbol_table = 2;  // a type of sections

  bool cubin = false;          // machine code of a GPU
  bool is_relocated = true;    // false: its addresses are those that it is loaded at
  uint64_t first_address = 0;  // of what is loaded of it
  struct Section {
    std::string_view name;
    ByteView contents;  // empty if it has none in the file
    uint32_t type = 0;
    uint32_t link = 0;  // of a symbol table: the number of the section with the names
  };
  std::vector<Section> sections;  // by their numbers
};

// Reads the sections of a file; nothing if it is damaged.
std::optional<Elf> read_elf(ByteView file);

}  // namespace cuvette
