// SPDX-License-Identifier: Apache-2.0
// Watches: ranges of memory that are shown, as the user names them.
//
// Threads: any; values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/cuvette/step/run_log.hpp"
#include "tools/cuvette/step/values.hpp"

namespace cuvette::tools {

struct Watch {
  std::string name;        // what the user calls it; empty: the allocation's own
  std::string allocation;  // its number, or a variable's name
  uint64_t offset = 0;     // in bytes
  std::optional<ValueType> type;
  size_t count = 8;  // values

  // Reads `NAME=ALLOCATION[+OFFSET][:TYPE[COUNT]]`, where `NAME=` may be left out:
  // `sum=2:float[4]`, `3+128`, `counter:unsigned[1]`. Nothing for any other text.
  static std::optional<Watch> parse(std::string_view text);
  static const char* wanted();

  bool names(const RunLog::Memory& memory) const {
    return allocation == std::to_string(memory.number) ||
           (!memory.name.empty() && allocation == memory.name);
  }
  // The bytes of the allocation that have to be known.
  size_t bytes() const { return offset + count * (type ? size_of(*type) : 8); }
};

}  // namespace cuvette::tools
