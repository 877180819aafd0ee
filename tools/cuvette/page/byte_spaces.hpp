// SPDX-License-Identifier: Apache-2.0
// ByteSpaces: which bytes are the same. A space is a segment, in all processes that share it, or an
// allocation that is no window into a segment; each byte has one offset in one space.
//
// Threads: any; the result does not change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

struct ByteSpace {
  std::string name;    // "segment 1"; an allocation's variable, or its kind
  std::string origin;  // "imported"; an allocation's kind
  uint32_t process = 0;
  uint64_t size = 0;
  uint64_t began = 0, ended = Record::open;
  bool is_segment = false;
};

class ByteSpaces {
 public:
  explicit ByteSpaces(const Record& record);

  struct Place {
    uint32_t space = 0;
    uint64_t offset = 0;
  };

  const std::vector<ByteSpace>& spaces() const { return spaces_; }
  // Where a memory begins. `memory`: memories.
  Place place_of(uint32_t memory) const { return memories_[memory]; }
  // Where an address of a memory is, or nothing: it is outside.
  std::optional<Place> place_of(uint32_t memory, uint64_t address) const;

 private:
  const Record& record_;
  std::vector<ByteSpace> spaces_;
  std::vector<Place> memories_;
};

}  // namespace cuvette::tools
