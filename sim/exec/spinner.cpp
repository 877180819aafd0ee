// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/spinner.hpp"

#include <algorithm>

namespace cuvette::exec {

std::atomic<int64_t> Oversubscription::until_{0};
std::atomic<int64_t> Oversubscription::span_{0};

// Two threads at once may both lengthen the span; neither number has to be exact.
void Oversubscription::notice(int64_t now) {
  const int64_t until = until_.load(std::memory_order_relaxed);
  if (now < until) return;
  const int64_t before = span_.load(std::memory_order_relaxed);
  // So soon after the last time it is the same oversubscription.
  const int64_t soon = std::max(4 * before, longest / 5);
  const int64_t span = now - until < soon ? std::clamp(2 * before, shortest, longest) : shortest;
  span_.store(span, std::memory_order_relaxed);
  until_.store(now + span, std::memory_order_relaxed);
}

}  // namespace cuvette::exec
