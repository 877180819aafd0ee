// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/thread_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuvette::watch {

void ThreadOrder::begin(uint32_t block) {
  block_ = block;
  now_ = 1;
  barrier_ = 0;
  std::ranges::fill(warps_, 0);
  std::ranges::fill(exchanges_, 0);
  rare_.clear();
  released_.clear();
}

std::vector<ThreadOrder::Rare>& ThreadOrder::rare() {
  if (rare_.empty()) rare_.resize(threads_);
  return rare_;
}

ThreadOrder::Fence ThreadOrder::fence_now(uint32_t thread, bool wide) const {
  return {now_, barrier_, warps_[thread / ptx::warp_size], wide,
          rare_.empty() ? nullptr : rare_[thread].known.all};
}

// The thread's own accesses up to the fence, and what it knew then.
Pointer ThreadOrder::knowledge_of(uint32_t thread, const Fence& fence) const {
  Knowledge::Part part{block_, fence.barrier, {}};
  part.ones.emplace_back(static_cast<uint16_t>(thread), fence.time);
  if (fence.warp > fence.barrier)
    part.ones.emplace_back(static_cast<uint16_t>(Knowledge::first_warp + thread / ptx::warp_size),
                           fence.warp);
  return Knowledge::join(Knowledge::of(std::move(part)), fence.more);
}

void ThreadOrder::Known::join(const Known& other) {
  all = Knowledge::join(all, other.all);
  reads = Knowledge::join(reads, other.reads);
}

ThreadOrder::Known ThreadOrder::joined(uint32_t warp, uint32_t mask) const {
  Known known;
  if (!rare_.empty())
    each_lane(mask, [&](uint32_t lane) { known.join(rare_[warp * ptx::warp_size + lane].known); });
  return known;
}

void ThreadOrder::tell(uint32_t warp, uint32_t mask, const Known& known) {
  if (!known) return;
  each_lane(mask, [&](uint32_t lane) { rare()[warp * ptx::warp_size + lane].known = known; });
}

void ThreadOrder::sync_warp(uint32_t warp, uint32_t mask) {
  mask &= lanes_of(warp);
  Known known = joined(warp, mask);
  if (mask == lanes_of(warp)) {
    warps_[warp] = now_;
  } else if (std::popcount(mask) > 1) {
    Knowledge::Part part{block_, barrier_, {}};
    each_lane(mask, [&](uint32_t lane) {
      part.ones.emplace_back(static_cast<uint16_t>(warp * ptx::warp_size + lane), now_);
    });
    if (warps_[warp] > barrier_)
      part.ones.emplace_back(static_cast<uint16_t>(Knowledge::first_warp + warp), warps_[warp]);
    known.all = Knowledge::join(Knowledge::of(std::move(part)), known.all);
  }
  tell(warp, mask, known);
  ++now_;
}

void ThreadOrder::exchange(uint32_t warp, uint32_t mask) {
  mask &= lanes_of(warp);
  if (mask == lanes_of(warp)) {
    exchanges_[warp] = now_;
    ++now_;
  }
  tell(warp, mask, joined(warp, mask));
}

Pointer ThreadOrder::reads_until_now(uint32_t thread) {
  const Pointer known = knowledge_of(thread, fence_now(thread, false));
  ++now_;
  return Knowledge::join(known, rare_.empty() ? nullptr : rare_[thread].known.reads);
}

void ThreadOrder::sees_reads(uint32_t thread, const Pointer& reads) {
  Pointer& known = rare()[thread].known.reads;
  known = Knowledge::join(known, reads);
}

void ThreadOrder::fence(uint32_t warp, uint32_t mask, ptx::Scope scope) {
  const bool wide = scope != ptx::Scope::block;
  each_lane(mask & lanes_of(warp), [&](uint32_t lane) {
    const uint32_t thread = warp * ptx::warp_size + lane;
    Rare& one = rare()[thread];
    one.known.all = Knowledge::join(one.known.all, one.seen_of_block);
    one.seen_of_block = nullptr;
    if (wide) {
      one.known.all = Knowledge::join(one.known.all, one.seen_of_others);
      one.seen_of_others = nullptr;
    }
    one.fence = fence_now(thread, wide);
  });
  ++now_;
}

void ThreadOrder::arrive(uint32_t barrier, uint32_t warp, uint32_t mask) {
  if (released_.empty()) released_.resize(ptx::cluster_barrier + 1);
  each_lane(mask & lanes_of(warp), [&](uint32_t lane) {
    const uint32_t thread = warp * ptx::warp_size + lane;
    released_[barrier] =
        Knowledge::join(released_[barrier], knowledge_of(thread, fence_now(thread, true)));
  });
  ++now_;
}

void ThreadOrder::meet(uint32_t barrier, const std::vector<Waiting>& waiting, bool all) {
  // Threads that went on do not come after the others, so no single time holds for all of them.
  Known known;
  if (!released_.empty()) known.all = std::exchange(released_[barrier], nullptr);
  if (known.all) all = false;
  if (!rare_.empty())
    for (const Waiting& one : waiting)
      each_lane(one.mask & lanes_of(one.warp), [&](uint32_t lane) {
        Rare& rare = rare_[one.warp * ptx::warp_size + lane];
        for (Pointer* const seen : {&rare.seen_of_block, &rare.seen_of_others}) {
          rare.known.all = Knowledge::join(rare.known.all, *seen);
          *seen = nullptr;
        }
        known.join(rare.known);
      });
  if (all) {
    barrier_ = now_;
  } else {
    // Threads before warps: that is their order.
    Knowledge::Part part{block_, barrier_, {}};
    const auto is_whole = [&](const Waiting& one) {
      return (one.mask & lanes_of(one.warp)) == lanes_of(one.warp);
    };
    for (const Waiting& one : waiting)
      if (!is_whole(one))
        each_lane(one.mask & lanes_of(one.warp), [&](uint32_t lane) {
          part.ones.emplace_back(static_cast<uint16_t>(one.warp * ptx::warp_size + lane), now_);
        });
    for (const Waiting& one : waiting)
      if (const uint32_t time = is_whole(one) ? now_ : warps_[one.warp]; time > barrier_)
        part.ones.emplace_back(static_cast<uint16_t>(Knowledge::first_warp + one.warp), time);
    known.all = Knowledge::join(known.all, Knowledge::of(std::move(part)));
  }
  for (const Waiting& one : waiting) tell(one.warp, one.mask & lanes_of(one.warp), known);
  ++now_;
}

Released ThreadOrder::released_by_fence(uint32_t thread) const {
  if (rare_.empty() || rare_[thread].fence.time == 0) return {};
  const Fence& fence = rare_[thread].fence;
  return {knowledge_of(thread, fence), block_, fence.wide};
}

Released ThreadOrder::release(uint32_t thread, bool wide) {
  Released released{knowledge_of(thread, fence_now(thread, wide)), block_, wide};
  ++now_;
  return released;
}

void ThreadOrder::sees(uint32_t thread, const Released& released, bool acquires, bool wide) {
  const bool own = released.block == block_;
  if (!own && !released.wide) return;
  Rare& one = rare()[thread];
  if (!acquires) {
    Pointer& seen = own ? one.seen_of_block : one.seen_of_others;
    seen = Knowledge::join(seen, released.knowledge);
  } else if (own || wide) {
    one.known.all = Knowledge::join(one.known.all, released.knowledge);
  }
}

}  // namespace cuvette::watch
