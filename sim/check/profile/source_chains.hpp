// SPDX-License-Identifier: Apache-2.0
// Which calls were inlined around an instruction, as the .loc lines of a PTX text say.
//
// Threads: plain functions. Nothing in the text is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cuvette::profile {

// A line of the source, and the function that the compiler inlined there. `file`: the number of a
// .file.
struct SourceFrame {
  std::string function;  // as the linker knows it; empty: the kernel itself, or unknown
  uint32_t file = 0, line = 0;
  bool operator==(const SourceFrame&) const = default;
};

// Returns the frames of the instructions in some lines of the text, numbered from 1, the innermost
// first; of those alone that are in an inlined function. `lines` are in rising order; one may
// be there several times.
std::map<uint32_t, std::vector<SourceFrame>> source_chains(std::string_view text,
                                                           const std::vector<uint32_t>& lines);

}  // namespace cuvette::profile
