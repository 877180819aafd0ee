// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/windows.hpp"

#include <algorithm>

#include "sim/base/rounding.hpp"

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
  if (whole != 0) free_.assign(begin, begin + whole, {});
}

std::optional<uint64_t> Windows::take(size_t size) {
  if (size > SIZE_MAX / 2) return std::nullopt;
  const size_t wanted = guarded(size);
  // Searches from the end of the window given out last, then from the beginning.
  for (const uint64_t from : {next_, uint64_t{0}})
    for (const auto& [begin, range] : free_.touching(from, UINT64_MAX)) {
      const uint64_t at = std::max(begin, from);
      if (range.end() - at < wanted) continue;
      next_ = at + wanted;
      free_.erase(at, next_);
      return at;
    }
  return std::nullopt;
}

void Windows::give(uint64_t at, size_t size) {
  const auto range = free_.assign(at, at + guarded(size), {});
  free_.join_around(range, [](const auto&, const auto&) { return true; });
}

}  // namespace cuvette::memory
