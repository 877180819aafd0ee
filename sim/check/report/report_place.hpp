// SPDX-License-Identifier: Apache-2.0
// Which line of the source a report is about, for formats that show it beside the source.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

struct SourcePlace {
  std::string file;  // as the debugging information or a call stack names it
  uint64_t line = 0;
};

// Returns the first "file:line" in the text of a fact: "kernel.cu:130", or a frame of a call stack.
std::optional<SourcePlace> first_place(std::string_view text);

// The place in a fact, the best for the reader first: the line of the kernel, the call
// that submitted the work, any other call; what happened earlier, and where memory came from, last.
struct FactPlace {
  std::string key;
  SourcePlace place;
};
std::vector<FactPlace> places_of(const Report& report);

}  // namespace cuvette::check
