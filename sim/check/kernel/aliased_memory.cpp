// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/aliased_memory.hpp"

#include <algorithm>
#include <tuple>

#include "sim/memory/identity.hpp"

namespace cuvette::watch {

using memory::Allocation;
using memory::AllocationKind;

std::vector<AliasedRange> aliased_memory(const memory::AddressSpace& space) {
  struct Mapping {
    memory::Identity segment;
    uint64_t begin, end;  // in it
    uint64_t address;
  };
  std::vector<Mapping> mappings;
  for (const Ref<Allocation>& one : space.all())
    if (memory::Identity::is_of_segment(*one) && one->kind != AllocationKind::external_array)
      mappings.push_back(
          {memory::Identity::of(*one), one->offset, one->offset + one->size, one->address});
  std::ranges::sort(mappings, {},
                    [](const Mapping& one) { return std::tuple(one.segment, one.begin); });
  // Bytes of all segments in one row: a mapping follows the last one that shares nothing with it.
  std::vector<AliasedRange> aliased;
  uint64_t row = 0;
  for (size_t first = 0; first < mappings.size();) {
    uint64_t end = mappings[first].end;
    size_t next = first + 1;
    for (; next < mappings.size() && mappings[next].segment == mappings[first].segment &&
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
