// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/shared_barriers.hpp"

#include "sim/check/kernel/accessor.hpp"

namespace cuvette::watch {

using ptx::Ordering;

std::optional<SharedBarriers::Mistake> SharedBarriers::orders(const exec::WarpOrdering& ordering,
                                                              const ptx::BlockContext& context) {
  const Ordering what = ordering.what;
  const uint32_t warp = ordering.warp;
  if (what == Ordering::barrier || what == Ordering::warp) {
    if (!barriers_.empty()) stop_waiting(warp, ordering.mask);
    return {};
  }
  if (what != Ordering::begin && what != Ordering::end && what != Ordering::arrive &&
      what != Ordering::async_arrive && what != Ordering::waited && what != Ordering::waits)
    return {};
  std::optional<Mistake> found;
  each_lane(ordering.mask, [&](uint32_t lane) {
    const uint64_t place = barrier_place(context, ordering.operands[lane]);
    Barrier& barrier = barriers_[place];
    const uint32_t bit = uint32_t{1} << lane;
    switch (what) {
      case Ordering::begin:
      case Ordering::end:
        return change(barrier, ordering, bit, what == Ordering::begin);
      case Ordering::waits:
        if ((barrier.waited_before[warp] | barrier.arrived_before[warp]) & bit) {
          if (!found) found = Mistake{barrier.begun, place, barrier.changed_at, 0};
          if (found->place == place) found->lanes |= bit;
        }
        barrier.waiting[warp] |= bit;
        return;
      default:  // it has waited, or arrives: what was before is over
        barrier.waited_before[warp] &= ~bit;
        barrier.arrived_before[warp] &= ~bit;
        barrier.waiting[warp] &= ~bit;
        barrier.arrived[warp] &= ~bit;
        if (what != Ordering::waited) barrier.arrived[warp] |= bit;
    }
  });
  return found;
}

void SharedBarriers::change(Barrier& barrier, const exec::WarpOrdering& ordering, uint32_t lanes,
                            bool begins) {
  const bool again = begins && barrier.lives;
  for (uint32_t warp = 0; warp < most_warps; ++warp) {
    barrier.waited_before[warp] |= barrier.waiting[warp];
    if (again) barrier.arrived_before[warp] |= barrier.arrived[warp];
    barrier.waiting[warp] = barrier.arrived[warp] = 0;
  }
  // The lanes that do it do not wait.
  barrier.waited_before[ordering.warp] &= ~lanes;
  barrier.arrived_before[ordering.warp] &= ~lanes;
  barrier.lives = begins;
  // Where it was invalidated first, that is the mistake.
  if (begins && !again && barrier.changed_at != 0) return;
  barrier.begun = begins;
  barrier.changed_at = ordering.location;
}

void SharedBarriers::stop_waiting(uint32_t warp, uint32_t lanes) {
  for (auto& [place, barrier] : barriers_)
    barrier.waiting[warp] &= ~lanes, barrier.waited_before[warp] &= ~lanes;
}

}  // namespace cuvette::watch
