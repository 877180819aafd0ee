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
  struct Name {
    uint32_t lane = 0;
    uint64_t number = 0;
    uint32_t step = 0;  // of the launch that `number` is
    auto operator<=>(const Name&) const = default;
  };
  struct Queued {
    Name name;
    std::string kind, stream, call_site;
    uint32_t branch = 0, place = 0;  // of a step
  };
  std::vector<Queued> queued;  // in the order of submission
  std::vector<Name> began;
  exec::Decisions decisions;  // one for each command that was held back

  // Lines that make no sense are left out: the program may have been killed while it wrote one.
  static Order parse(const std::string& text);

  const Queued* find(const Name& name) const;
  std::map<uint32_t, uint64_t> lanes() const;  // and how many commands each has
  // Of the graphs launched in each lane: the most branches, and the most steps in each.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> branches() const;

  // As a table with a line for each command in the order in which they took place, and those that
  // did not at the end; at most about `most` lines, those around what is held back.
  std::string table(const exec::Decisions& held, size_t most) const;
};

}  // namespace cuvette::tools
