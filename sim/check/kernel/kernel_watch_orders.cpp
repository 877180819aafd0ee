// SPDX-License-Identifier: Apache-2.0
// The operations that order accesses: barriers, fences, strong accesses, waits for copies.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/check/kernel/watched_block.hpp"

namespace cuvette::watch {

void KernelWatch::synchronise(OfBlock& block, const Lane& lane) {
  Meetings& meetings = lane.shared ? block.meetings : meetings_;
  const bool writes = lane.access & ptx::access_write, atomic = lane.access & ptx::access_atomic;
  const bool strong = lane.access & ptx::access_strong;
  const auto known = meetings.find(lane.address);
  if (!strong) {
    if (writes && known != meetings.end()) meetings.erase(known);
    return;
  }
  const uint32_t thread = lane.mark.thread();
  const bool wide = lane.mark.is(Mark::wide);
  const bool acquires = lane.access & ptx::access_acquire;
  if (!writes && known != meetings.end() && known->second.reads)
    block.order.sees_reads(thread, known->second.reads);
  if ((!writes || atomic) && known != meetings.end())
    for (const Released* const released : {&known->second.narrow, &known->second.wide})
      if (*released) block.order.sees(thread, *released, acquires, wide);
  if (!writes) return;
  Released released = lane.access & ptx::access_release ? block.order.release(thread, wide)
                                                        : block.order.released_by_fence(thread);
  released.wide = released.wide && wide;
  if (known == meetings.end() && !released && atomic) return;
  Meeting& meeting = meetings[lane.address];
  if (!atomic) meeting = {{}, {}, block.order.reads_until_now(thread)};  // the rest is gone
  if (!released) return;
  Released& place = released.wide ? meeting.wide : meeting.narrow;
  if (place) {
    released.knowledge = Knowledge::join(place.knowledge, released.knowledge);
    if (place.block != released.block) released.block = UINT32_MAX;
  }
  place = std::move(released);
}

void KernelWatch::orders(exec::Block& block, const exec::WarpOrdering& what) {
  OfBlock& own = of(block);
  if (own.rules) own.rules->orders(what);
  if (what.what == ptx::Ordering::alias_fence) aliases_.fence();
  if (taint_ && what.what == ptx::Ordering::fence) taint_->settle();
  if (!races_wanted_) return;
  const ptx::Ordering ordering = what.what;
  const uint64_t* const operands = what.operands;
  const uint32_t mask = what.mask, warp = what.warp;
  const auto each_thread = [&](const auto& visit) {
    each_lane(mask, [&](uint32_t lane) { visit(warp * ptx::warp_size + lane, operands[lane]); });
  };
  // A barrier in shared memory may be named by its offset or its address.
  const auto place_of = [&](uint64_t operand) {
    const uint64_t offset = operand - reinterpret_cast<uint64_t>(block.context.shared);
    return offset < block.context.shared_bytes ? offset : operand;
  };
  switch (ordering) {
    case ptx::Ordering::barrier:  // meet() and arrives() get more
    case ptx::Ordering::alias_fence:
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
    case ptx::Ordering::async_groups:
      return each_thread([&](uint32_t thread, uint64_t) {
        if (const auto copies = own.copies.find(thread); copies != own.copies.end())
          ++copies->second.groups;
      });
    case ptx::Ordering::async_wait:
      return each_thread([&](uint32_t thread, uint64_t groups) {
        end_copies(own, thread, static_cast<uint32_t>(groups));
      });
    case ptx::Ordering::async_arrive:
      each_thread([&](uint32_t thread, uint64_t) { end_copies(own, thread, 0); });
      [[fallthrough]];
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

// Their bytes count as written now, by their thread.
void KernelWatch::end_copies(OfBlock& block, uint32_t thread, uint32_t groups_left) {
  const auto known = block.copies.find(thread);
  if (known == block.copies.end()) return;
  OfBlock::Copies& copies = known->second;
  const auto is_over = [&](const OfBlock::Copy& copy) {
    return groups_left == 0 || copy.group + groups_left < copies.groups;
  };
  for (const OfBlock::Copy& copy : copies.under_way) {
    if (!is_over(copy)) continue;
    const auto end = [&](Mark& write) {
      if (write.is(Mark::async) && write.thread() == thread)
        write = {block.order.block(), block.order.now(), static_cast<uint16_t>(thread), copy.place};
    };
    for (Cell& cell : block.shared.cells(copy.offset, copy.bytes)) {
      end(cell.write);
      if (cell.more & Cell::another) end(block.shared.others(cell).write);
    }
  }
  std::erase_if(copies.under_way, is_over);
}

void KernelWatch::arrives(exec::Block& block, uint32_t number, uint32_t mask, uint32_t warp) {
  if (!races_wanted_) return;
  of(block).order.arrive(number, warp, mask);
}

void KernelWatch::meet(exec::Block& block, uint32_t number, uint32_t warps, bool all) {
  if (of(block).rules) of(block).rules->meet(number, warps, all);
  if (!races_wanted_) return;
  std::vector<ThreadOrder::Waiting> waiting;
  for (uint32_t left = warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<uint32_t>(std::countr_zero(left));
    waiting.push_back({warp, block.lanes_at_barrier(warp)});
  }
  OfBlock& own = of(block);
  const uint32_t before = own.order.barrier();
  own.order.meet(number, waiting, all);
  if (all) block.context.watch_time = own.time = new_time();
  // All accesses to shared memory have ended, except copies.
  if (own.order.barrier() != before &&
      std::ranges::all_of(own.copies, [](const auto& one) { return one.second.under_way.empty(); }))
    own.shared.reopen();
}

}  // namespace cuvette::watch
