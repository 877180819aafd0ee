// SPDX-License-Identifier: Apache-2.0
// Identity: which memory an allocation's bytes are. Mappings of one segment have one identity, so
// that two of its addresses are the same bytes.
//
// Threads: Identity is a value; a MemoryMap belongs to one thread at a time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "sim/memory/allocation.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::memory {

class Identity {
 public:
  // Pageable memory of the host.
  constexpr Identity() = default;
  // The allocation's memory.
  static Identity of(const Allocation& allocation) {
    if (!is_of_segment(allocation)) return {0, allocation.buffer_id};
    const os::Segment::Identity file = allocation.segment->identity();
    return {file.device + 1, file.inode};
  }
  // Returns whether the bytes belong to a segment, at any address.
  static bool is_of_segment(const Allocation& allocation) {
    return allocation.segment &&
           (allocation.is_external() || allocation.kind == AllocationKind::mapping ||
            allocation.kind == AllocationKind::shared);
  }
  // Returns the address that the first byte of the memory has, or would have, by this mapping.
  static DevicePtr base_of(const Allocation& allocation) {
    return allocation.address - (is_of_segment(allocation) ? allocation.offset : 0);
  }

  constexpr auto operator<=>(const Identity&) const = default;

  struct Hash {
    size_t operator()(const Identity& one) const { return one.device_ * 31 + one.number_; }
  };

 private:
  constexpr Identity(uint64_t device, uint64_t number) : device_(device), number_(number) {}

  // A segment's device and inode, the former counted from 1, or 0 and an allocation's number.
  uint64_t device_ = 0, number_ = 0;
};

// Something for each memory that is in use. Values for memory that has ended are removed once there
// are many.
template <typename Value>
class MemoryMap {
 public:
  // Returns the memory's; makes it if there is none. `has_ended(kept)`: that it may be removed.
  template <typename HasEnded>
  Value& at(const Identity& memory, const HasEnded& has_ended) {
    if (kept_.size() >= sweep_at_) {
      std::erase_if(kept_, [&](const auto& entry) { return has_ended(entry.second); });
      sweep_at_ = std::max(least_swept, 2 * kept_.size());
    }
    return kept_[memory];
  }
  // Returns the memory's, or null.
  const Value* find(const Identity& memory) const {
    const auto found = kept_.find(memory);
    return found == kept_.end() ? nullptr : &found->second;
  }
  void erase(const Identity& memory) { kept_.erase(memory); }
  size_t size() const { return kept_.size(); }

 private:
  static constexpr size_t least_swept = 64;

  std::unordered_map<Identity, Value, Identity::Hash> kept_;
  size_t sweep_at_ = least_swept;
};

}  // namespace cuvette::memory
