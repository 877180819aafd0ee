// SPDX-License-Identifier: Apache-2.0
// Order: what CUVETTE_ORDER_LOG says of a run.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/exec/schedule.hpp"

namespace cuvette::tools {

struct Order {
  using Name = std::pair<uint32_t, uint64_t>;  // lane, number
  struct Queued {
    Name name;
    std::string kind, stream, call_site;
  };
  std::vector<Queued> queued;  // in the order of submission
  std::vector<Name> began;
  exec::Decisions decisions;  // one for each command that was held back

  // Lines that make no sense are left out: the program may have been killed while it wrote one.
  static Order parse(const std::string& text);

  const Queued* find(const Name& name) const;
  std::map<uint32_t, uint64_t> lanes() const;  // and how many commands each has

  // As a table with a line for each command in the order in which they took place, and those that
  // did not at the end; at most about `most` lines, those around what is held back.
  std::string table(const exec::Decisions& held, size_t most) const;
};

}  // namespace cuvette::tools
