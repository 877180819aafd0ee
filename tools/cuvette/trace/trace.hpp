// SPDX-License-Identifier: Apache-2.0
// Trace: what a Record holds, as a file for Perfetto's viewer.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// order: each command has the same length, and the same order gives the same file. wall:
// nanoseconds.
enum class TraceTime : uint8_t { order, wall };

struct Trace {
  std::string bytes;  // the file
  size_t marks = 0;   // slices and instants
  size_t arrows = 0;
  size_t arrows_left_out = 0;  // they lead back: the record's times contradict its edges
  uint64_t left_out = 0;       // windows, their overlaps and resources: more than a person looks at
};

Trace trace_of(Record record, TraceTime time);

}  // namespace cuvette::tools
