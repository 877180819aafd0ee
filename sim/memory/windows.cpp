// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/windows.hpp"
#include "sim/base/rounding.hpp"

#include <algorithm>
#include <iterator>

namespace cuvette::memory {
namespace {

// Returns what a window takes: its granules and one more, so that an access past its end meets
// nothing.
size_t guarded(size_t size) {
  constexpr size_t granularity = Windows::granularity;
  return round_up(size, granularity) + granularity;
}

}  // namespace

Windows::Windows(uint64_t begin, size_t size) : next_(begin) {
  const size_t whole = size / granularity * granularity;
  if (whole != 0) free_.emplace(begin, begin + whole);
}

std::optional<uint64_t> Windows::take(size_t size) {
  if (size > SIZE_MAX / 2) return std::nullopt;
  const size_t wanted = guarded(size);
  auto found = free_.upper_bound(next_);
  if (found != free_.begin() && std::prev(found)->second > next_) --found;
  // Searches from the end of the window given out last, then from the beginning.
  uint64_t from = next_;
  for (int round = 0; round < 2; ++round, found = free_.begin(), from = 0) {
    for (; found != free_.end(); ++found) {
      const auto [begin, end] = *found;
      const uint64_t at = std::max(begin, from);
      if (end - at < wanted) continue;
      if (at > begin) {
        found->second = at;
      } else {
        free_.erase(found);
      }
      if (at + wanted < end) free_.emplace(at + wanted, end);
      next_ = at + wanted;
      return at;
    }
  }
  return std::nullopt;
}

void Windows::give(uint64_t at, size_t size) {
  uint64_t begin = at, end = at + guarded(size);
  auto next = free_.lower_bound(at);
  if (next != free_.end() && next->first == end) {
    end = next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin() && std::prev(next)->second == begin) {
    std::prev(next)->second = end;
  } else {
    free_.emplace_hint(next, begin, end);
  }
}

}  // namespace cuvette::memory
