// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/owned_parts.hpp"

#include <algorithm>
#include <iterator>

namespace cuvette::vulkan_layer {

// Lets no part reach across `at`.
void OwnedParts::cut(uint64_t at) {
  const auto behind = parts_.lower_bound(at);
  if (behind == parts_.begin()) return;
  const auto before = std::prev(behind);
  if (before->second.end <= at) return;
  parts_.emplace_hint(behind, at, before->second);
  before->second.end = at;
}

void OwnedParts::give(uint64_t begin, uint64_t end) {
  cut(begin);
  cut(end);
  parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
}

void OwnedParts::own(uint64_t begin, uint64_t end, uint64_t since, const void* acquired_at) {
  give(begin, end);
  if (begin < end) parts_[begin] = {end, since, acquired_at, nullptr};
}

void OwnedParts::note_release(uint64_t begin, uint64_t end, const void* place) {
  cut(begin);
  cut(end);
  for (auto one = parts_.lower_bound(begin); one != parts_.lower_bound(end); ++one)
    one->second.released_at = place;
}

void OwnedParts::use(uint64_t begin, uint64_t end, uint64_t since) {
  cut(begin);
  cut(end);
  // Fills the gaps, and leaves the rest as it is.
  for (uint64_t at = begin; at < end;) {
    const auto next = parts_.lower_bound(at);
    if (next != parts_.end() && next->first == at) {
      at = next->second.end;
      continue;
    }
    const uint64_t gap_end = next == parts_.end() ? end : std::min(end, next->first);
    parts_.emplace_hint(next, at, Part{gap_end, since, nullptr, nullptr});
    at = gap_end;
  }
}

}  // namespace cuvette::vulkan_layer
