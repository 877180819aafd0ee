// SPDX-License-Identifier: Apache-2.0
// Where an instruction of a kernel comes from.
#pragma once

#include <cstdint>
#include <string>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::check {

// Returns the line of the PTX text; 0: unknown. `location`: made by location_of().
inline uint64_t ptx_line(uint64_t location) { return location & 0xffffff; }

// Returns "file:line" of the source, as -lineinfo says; empty if it is unknown. `module` may be
// null.
inline std::string source_line(uint64_t location, const ptx::Module* module) {
  const uint64_t line = location >> 24 & 0xffffff;
  const auto file = static_cast<uint32_t>(location >> 48);
  if (line == 0) return {};
  std::string source = "file " + std::to_string(file);
  if (module)
    for (const auto& one : module->files)
      if (one.number == file) source = std::string(one.name);
  return source + ":" + std::to_string(line);
}

}  // namespace cuvette::check
