// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/stream_order.hpp"

#include <algorithm>

namespace cuvette::device {

std::atomic<bool> StreamOrder::kept_{false};

uint64_t Known::last_of(uint64_t stream) const {
  const auto at = std::lower_bound(last_.begin(), last_.end(), std::pair{stream, uint64_t{0}});
  return at != last_.end() && at->first == stream ? at->second : 0;
}

Ref<const Known> Known::merged(const Known* one, const Known* other, uint64_t stream,
                               uint64_t number) {
  auto both = make_ref<Known>();
  auto& last = both->last_;
  if (one) last = one->last_;
  if (other) last.insert(last.end(), other->last_.begin(), other->last_.end());
  last.emplace_back(stream, number);
  // Sorts the greatest number of each stream first, so that unique() keeps it.
  std::sort(last.begin(), last.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  last.erase(std::unique(last.begin(), last.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; }),
             last.end());
  if (last.size() > most) last.erase(last.begin(), last.end() - most);
  return both;
}

void StreamOrder::learn(const Known* theirs, uint64_t stream, uint64_t number) {
  if (!kept()) return;
  MutexLock lock(mutex_);
  known_ = Known::merged(known_.get(), theirs, stream, number);
  learned_.store(true, std::memory_order_release);
}

}  // namespace cuvette::device
