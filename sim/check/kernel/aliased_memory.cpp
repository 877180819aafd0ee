// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/aliased_memory.hpp"

#include <algorithm>
#include <tuple>

#include "sim/os/segment.hpp"

namespace cuvette::watch {

using memory::Allocation;
using memory::AllocationKind;

std::vector<AliasedRange> aliased_memory(const memory::AddressSpace& memory) {
  struct Mapping {
    uint64_t device, inode;  // of the segment
    uint64_t begin, end;     // in it
    uint64_t address;
    bool in_same(const Mapping& other) const {
      return device == other.device && inode == other.inode;
    }
  };
  std::vector<Mapping> mappings;
  for (const Ref<Allocation>& one : memory.all()) {
    if (!one->segment ||
        (one->kind != AllocationKind::external && one->kind != AllocationKind::mapping &&
         one->kind != AllocationKind::shared))
      continue;
    const os::Segment::Identity segment = one->segment->identity();
    mappings.push_back(
        {segment.device, segment.inode, one->offset, one->offset + one->size, one->address});
  }
  std::ranges::sort(mappings, {}, [](const Mapping& one) {
    return std::tuple(one.device, one.inode, one.begin);
  });
  // Bytes of all segments in one row: a mapping follows the last one that shares nothing with it.
  std::vector<AliasedRange> aliased;
  uint64_t row = 0;
  for (size_t first = 0; first < mappings.size();) {
    uint64_t end = mappings[first].end;
    size_t next = first + 1;
    for (; next < mappings.size() && mappings[next].in_same(mappings[first]) &&
           mappings[next].begin < end;
         ++next)
      end = std::max(end, mappings[next].end);
    if (next - first > 1)
      for (size_t i = first; i < next; ++i) {
        const Mapping& one = mappings[i];
        aliased.push_back({one.address, one.address + (one.end - one.begin),
                           row + (one.begin - mappings[first].begin)});
      }
    row += end - mappings[first].begin;
    first = next;
  }
  return aliased;
}

}  // namespace cuvette::watch
