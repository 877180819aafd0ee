// SPDX-License-Identifier: Apache-2.0
// Order: the order of one run, read from the log of CUVETTE_ORDER_LOG.
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
  std::map<uint32_t, uint64_t> lanes() const;  // with the number of their commands
  // Returns, for each lane and branch of the graphs launched there, the most steps it had.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> branches() const;

  // Prints a table with a line for each command, in the order in which they took place; those that
  // did not come last. It has about `most` lines at most, those around the work that is held back.
  std::string table(const exec::Decisions& held, size_t most) const;
};

}  // namespace cuvette::tools
