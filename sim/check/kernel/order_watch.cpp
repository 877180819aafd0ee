// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/order_watch.hpp"

#include <bit>
#include <utility>
#include <vector>

#include "sim/check/kernel/accessor.hpp"

namespace cuvette::watch {

void OrderWatch::synchronise(BlockState& own, uint64_t address, bool shared, uint32_t access,
                             const Mark& mark) {
  Meetings& meetings = shared ? own.meetings : meetings_;
  const bool writes = access & ptx::access_write, atomic = access & ptx::access_atomic;
  const auto known = meetings.find(address);
  if (!(access & ptx::access_strong)) {
    if (writes && known != meetings.end()) meetings.erase(known);
    return;
  }
  const uint32_t thread = mark.thread();
  const bool wide = mark.is(Mark::wide);
  const bool acquires = access & ptx::access_acquire;
  if (!writes && known != meetings.end() && known->second.reads)
    own.order.sees_reads(thread, known->second.reads);
  if ((!writes || atomic) && known != meetings.end())
    for (const Released* const released : {&known->second.narrow, &known->second.wide})
      if (*released) own.order.sees(thread, *released, acquires, wide);
  if (!writes) return;
  Released released = access & ptx::access_release ? own.order.release(thread, wide)
                                                   : own.order.released_by_fence(thread);
  released.wide = released.wide && wide;
  if (known == meetings.end() && !released && atomic) return;
  Meeting& meeting = meetings[address];
  if (!atomic) meeting = {{}, {}, own.order.reads_until_now(thread)};  // the rest is gone
  if (!released) return;
  Released& place = released.wide ? meeting.wide : meeting.narrow;
  if (place) {
    released.knowledge = Knowledge::join(place.knowledge, released.knowledge);
    if (place.block != released.block) released.block = UINT32_MAX;
  }
  place = std::move(released);
}

void OrderWatch::orders(BlockState& own, const ptx::BlockContext& context,
                        const exec::WarpOrdering& ordering) {
  const uint64_t* const operands = ordering.operands;
  const uint32_t mask = ordering.mask, warp = ordering.warp;
  const auto each_thread = [&](const auto& visit) {
    each_lane(mask, [&](uint32_t lane) { visit(warp * ptx::warp_size + lane, operands[lane]); });
  };
  const auto place_of = [&](uint64_t operand) { return barrier_place(context, operand); };
  switch (ordering.what) {
    case ptx::Ordering::barrier:  // meet() and arrives() get more
    case ptx::Ordering::alias_fence:
    case ptx::Ordering::async_groups:  // RaceWatch, which has the copies
    case ptx::Ordering::async_wait:
    case ptx::Ordering::waits:  // these order nothing
    case ptx::Ordering::begin:
    case ptx::Ordering::end:
      return;
    case ptx::Ordering::warp: {
      // Lanes may name different members: each group syncs by itself.
      uint32_t left = mask;
      while (left != 0) {
        const auto members =
            static_cast<uint32_t>(operands[static_cast<uint32_t>(std::countr_zero(left))]) & left;
        const uint32_t group = members ? members : left & (0 - left);
        own.order.sync_warp(warp, group);
        left &= ~group;
      }
      return;
    }
    case ptx::Ordering::collective:
      return own.order.exchange(warp, mask);
    case ptx::Ordering::fence:
      if (mask != 0)
        own.order.fence(
            warp, mask,
            static_cast<ptx::Scope>(operands[static_cast<uint32_t>(std::countr_zero(mask))]));
      return;
    case ptx::Ordering::async_arrive:
    case ptx::Ordering::arrive:
      return each_thread([&](uint32_t thread, uint64_t operand) {
        Released released = own.order.release(thread, false);
        Released& place = own.meetings[place_of(operand)].narrow;
        released.knowledge = Knowledge::join(place.knowledge, released.knowledge);
        place = std::move(released);
      });
    case ptx::Ordering::waited:
      return each_thread([&](uint32_t thread, uint64_t operand) {
        const auto place = own.meetings.find(place_of(operand));
        if (place != own.meetings.end() && place->second.narrow)
          own.order.sees(thread, place->second.narrow, true, false);
      });
  }
}

void OrderWatch::meet(BlockState& own, const exec::Block& block, uint32_t number, uint32_t warps,
                      bool all) {
  std::vector<ThreadOrder::Waiting> waiting;
  for (uint32_t left = warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<uint32_t>(std::countr_zero(left));
    waiting.push_back({warp, block.lanes_at_barrier(warp)});
  }
  own.order.meet(number, waiting, all);
}

}  // namespace cuvette::watch
