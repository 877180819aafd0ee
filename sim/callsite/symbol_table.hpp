// SPDX-License-Identifier: Apache-2.0
// The symbol table of an ELF file: names of functions that it does not export, as most of a
// program's are. The loader keeps no table of those, so the file itself is read.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuvette::callsite {

struct LocalFunction {
  std::string name;     // as the linker knows it
  uint64_t offset = 0;  // from the function's beginning to the address
};

// Returns the function in which `address` lies. `base` is where the file was loaded; `file` may be
// stripped, damaged or gone: then there is none.
std::optional<LocalFunction> find_local_function(const char* file, uint64_t address, uint64_t base);

}  // namespace cuvette::callsite
