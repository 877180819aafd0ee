// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/byte_spaces.hpp"

#include <algorithm>
#include <map>

namespace cuvette::tools {

ByteSpaces::ByteSpaces(const Record& record) : record_(record) {
  std::map<uint64_t, uint32_t> shared;  // identity -> space
  std::vector<uint32_t> of_segment;
  for (const Record::Segment& segment : record.segments) {
    const auto next = static_cast<uint32_t>(spaces_.size());
    const uint32_t space =
        segment.identity == 0 ? next : shared.try_emplace(segment.identity, next).first->second;
    of_segment.push_back(space);
    if (space == next) {
      spaces_.push_back({segment.name, segment.origin, segment.process, segment.size, segment.began,
                         segment.ended, true});
      continue;
    }
    ByteSpace& known = spaces_[space];
    known.size = std::max(known.size, segment.size);
    known.began = std::min(known.began, segment.began);
    known.ended = std::max(known.ended, segment.ended);
  }
  for (const Record::Memory& memory : record.memories) {
    if (memory.segment < of_segment.size()) {
      memories_.push_back({of_segment[memory.segment], memory.offset});
      continue;
    }
    memories_.push_back({static_cast<uint32_t>(spaces_.size()), 0});
    spaces_.push_back({memory.name.empty() ? memory.kind + " memory" : memory.name, memory.kind,
                       memory.process, memory.size, memory.began, memory.ended, false});
  }
}

std::optional<ByteSpaces::Place> ByteSpaces::place_of(uint32_t memory, uint64_t address) const {
  if (memory >= memories_.size()) return {};
  const Record::Memory& holder = record_.memories[memory];
  const uint64_t within = address - holder.address;  // huge if the address is below
  if (within >= holder.size) return {};
  const Place begin = memories_[memory];
  return Place{begin.space, begin.offset + within};
}

}  // namespace cuvette::tools
