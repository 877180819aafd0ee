// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/record/tick_times.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuvette::tools {

using Clock = Raw<record_format::Clock>;

namespace {

// Clocks that are later than this are nonsense; so there is room for what lies after them.
constexpr uint64_t last_time = uint64_t{1} << 62;

// Nanoseconds for each tick.
double rate(const Clock& from, const Clock& to) {
  return static_cast<double>(to.monotonic_ns - from.monotonic_ns) /
         static_cast<double>(to.ticks - from.ticks);
}

uint64_t moved(uint64_t time, double by) {
  const double moved = static_cast<double>(time) + by;
  if (!(moved > 0)) return 0;
  if (moved > static_cast<double>(last_time)) return last_time;
  // Small steps keep all digits of the time.
  const auto step = static_cast<int64_t>(by);
  return time + static_cast<uint64_t>(step);
}

}  // namespace

TickTimes::TickTimes(std::vector<Clock> clocks) {
  std::ranges::sort(clocks, {}, &Clock::ticks);
  for (const Clock& clock : clocks) {
    if (clock.monotonic_ns > last_time) continue;
    if (!clocks_.empty() &&
        (clock.ticks == clocks_.back().ticks || clock.monotonic_ns <= clocks_.back().monotonic_ns))
      continue;
    clocks_.push_back(clock);
  }
}

uint64_t TickTimes::at(uint64_t ticks) const {
  if (clocks_.empty()) return std::min(ticks, last_time);
  const auto after = std::ranges::upper_bound(clocks_, ticks, {}, &Clock::ticks);
  const auto place = static_cast<size_t>(after - clocks_.begin());
  const Clock& from = clocks_[place == 0 ? 0 : place - 1];
  double slope = 1;
  if (clocks_.size() > 1) {
    const bool is_between = place > 0 && place < clocks_.size();
    slope = is_between ? rate(from, clocks_[place]) : rate(clocks_.front(), clocks_.back());
  }
  const double distance = ticks >= from.ticks ? static_cast<double>(ticks - from.ticks)
                                              : -static_cast<double>(from.ticks - ticks);
  return moved(from.monotonic_ns, distance * slope);
}

uint64_t TickTimes::unix_at(uint64_t ticks) const {
  if (clocks_.empty()) return 0;
  const Clock& first = clocks_.front();
  return first.unix_ns - first.monotonic_ns + at(ticks);
}

}  // namespace cuvette::tools
