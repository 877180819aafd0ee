// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/meeting_rules.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::watch {

using Kind = MeetingMistake::Kind;
using ptx::warp_size;

void MeetingMistakes::add(const MeetingMistake& mistake) {
  if (known_.emplace(mistake.kind, mistake.location).second) all_.push_back(mistake);
}

MeetingRules::MeetingRules(uint32_t threads, MeetingMistakes& mistakes)
    : threads_(threads), warps_((threads + warp_size - 1) / warp_size), mistakes_(mistakes) {}

void MeetingRules::begin(uint64_t block) {
  end();
  absent_.clear();
  barriers_.clear();
  shared_barriers_.clear();
  block_ = block;
}

// The thread is the first of `lanes`.
MeetingMistake MeetingRules::mistake(Kind kind, uint32_t warp, uint32_t lanes,
                                     uint64_t location) const {
  MeetingMistake result{kind};
  result.block = block_;
  result.thread = warp * warp_size + static_cast<uint32_t>(std::countr_zero(lanes | 1u << 31));
  result.location = location;
  return result;
}

void MeetingRules::orders(const exec::WarpOrdering& ordering, const ptx::BlockContext& context) {
  if (ordering.mask == 0) return;
  if (const auto found = shared_barriers_.orders(ordering, context))
    shared_barrier(ordering, *found);
  switch (ordering.what) {
    case ptx::Ordering::barrier:
      return barrier(ordering);
    case ptx::Ordering::warp:
      return members(ordering, false);
    case ptx::Ordering::collective:
      return members(ordering, true);
    default:
      return seen(ordering.warp, ordering.mask);
  }
}

// --- Barriers of the block -----------------------------------------------------------------------

void MeetingRules::barrier(const exec::WarpOrdering& ordering) {
  const uint64_t* const operands = ordering.operands;
  const uint32_t mask = ordering.mask, warp = ordering.warp;
  const uint64_t location = ordering.location;
  if (!absent_.empty()) are_alive(warp, mask, true);
  const uint64_t operand = operands[std::countr_zero(mask)];
  const auto number = static_cast<uint32_t>(operand & 0xffff);
  const bool whole = operand >> 16 & 1, arrives = operand >> 17 & 1;
  const auto threads = static_cast<uint32_t>(operand >> 32);
  if (number > ptx::cluster_barrier) return;
  if (barriers_.empty()) barriers_.resize(ptx::cluster_barrier + 1);
  const auto add = [&](Kind kind, uint32_t lanes) {
    MeetingMistake found = mistake(kind, warp, lanes, location);
    found.number = number;
    found.threads = threads;
    found.others = barriers_[number].threads;
    found.named = lanes_of(warp);
    found.there = mask;
    mistakes_.add(found);
  };
  if (whole && mask != lanes_of(warp)) add(Kind::part_of_warp, lanes_of(warp) & ~mask);
  if (threads % warp_size != 0) add(Kind::part_of_a_warp, mask);
  if (threads > warps_ * warp_size) add(Kind::too_many, mask);
  Barrier& barrier = barriers_[number];
  const auto expected = [&](uint32_t count) { return count == 0 ? warps_ * warp_size : count; };
  if ((barrier.waited_for || barrier.passed) && expected(barrier.threads) != expected(threads))
    add(Kind::other_count, mask);
  barrier.location = location;
  barrier.threads = threads;
  (arrives ? barrier.passed : barrier.waited_for) = true;
}

void MeetingRules::meet(uint32_t number, uint32_t warps, bool all) {
  if (number >= barriers_.size()) return;
  const Barrier barrier = std::exchange(barriers_[number], {});
  if (!all || barrier.passed || !barrier.waited_for) return;
  const uint32_t every = warps_ >= 32 ? UINT32_MAX : (uint32_t{1} << warps_) - 1;
  const uint32_t gone = every & ~warps;
  if (gone == 0) return;
  MeetingMistake found = mistake(Kind::part_of_block, static_cast<uint32_t>(std::countr_zero(gone)),
                                 1, barrier.location);
  found.number = number;
  found.threads = barrier.threads;
  mistakes_.add(found);
}

// --- Members -------------------------------------------------------------------------------------

namespace {

// Returns the lanes that name these members: usually all of them.
uint32_t lanes_with(const uint64_t* operands, uint32_t lanes, uint32_t named) {
  if (lanes == UINT32_MAX) {
    uint64_t different = 0;
    for (uint32_t lane = 0; lane < warp_size; ++lane) different |= operands[lane] ^ named;
    if (static_cast<uint32_t>(different) == 0) return lanes;
  }
  uint32_t same = 0;
  each_lane(lanes, [&](uint32_t lane) {
    if (static_cast<uint32_t>(operands[lane]) == named) same |= uint32_t{1} << lane;
  });
  return same;
}

}  // namespace

void MeetingRules::members(const exec::WarpOrdering& ordering, bool exchange) {
  const uint64_t* const operands = ordering.operands;
  const uint32_t mask = ordering.mask, warp = ordering.warp;
  const uint64_t location = ordering.location;
  seen(warp, mask);
  for (uint32_t left = mask; left != 0;) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t named = ptx::members_of(operands[lane]);
    const uint32_t group = lanes_with(operands, left, named);
    left &= ~group;
    if (const uint32_t strangers = group & ~named) {
      MeetingMistake found = mistake(Kind::no_member, warp, strangers, location);
      found.named = named;
      found.there = group;
      mistakes_.add(found);
    }
    if (exchange) find_foreign_sources(ordering, group, named);
    if ((group & named) == 0) continue;
    if (!exchange && come_late(warp, named, group)) continue;
    Absent absent{warp, named, group, named & ~group & lanes_of(warp), 0, location, exchange};
    if (exchange) find_absent_source(ordering, absent);
    if ((absent.missing != 0 || absent.reads) && !is_known(absent)) absent_.push_back(absent);
  }
}

// A loop comes to the same instruction again.
bool MeetingRules::is_known(const Absent& absent) const {
  return std::ranges::any_of(absent_, [&](const Absent& known) {
    return known.location == absent.location && known.warp == absent.warp &&
           known.named == absent.named && known.there == absent.there &&
           known.exchange == absent.exchange && known.reads >= absent.reads;
  });
}

// Lanes of `group` that take the value of a lane that is not a member.
void MeetingRules::find_foreign_sources(const exec::WarpOrdering& ordering, uint32_t group,
                                        uint32_t named) {
  each_lane(group, [&](uint32_t lane) {
    const uint32_t source = ptx::source_of(ordering.operands[lane]);
    if (source == 0 || named >> (source - 1) & 1) return;
    MeetingMistake found =
        mistake(Kind::foreign_source, ordering.warp, uint32_t{1} << lane, ordering.location);
    found.named = named;
    found.there = group;
    found.source = ordering.warp * warp_size + source - 1;
    mistakes_.add(found);
  });
}

// A lane that takes the value of a member that is not there.
void MeetingRules::find_absent_source(const exec::WarpOrdering& ordering, Absent& absent) {
  each_lane(absent.there, [&](uint32_t lane) {
    const uint32_t source = ptx::source_of(ordering.operands[lane]);
    if (absent.reads || source == 0 || !((absent.named & ~absent.there) >> (source - 1) & 1))
      return;
    absent.reads = true;
    absent.reader = lane;
    absent.source = source - 1;
  });
}

// At a barrier of the warp others may have been waiting for these lanes. Returns whether some were.
bool MeetingRules::come_late(uint32_t warp, uint32_t named, uint32_t lanes) {
  bool any = false;
  std::erase_if(absent_, [&](Absent& absent) {
    if (absent.warp != warp || absent.exchange || absent.named != named ||
        (absent.missing & lanes) == 0)
      return false;
    any = true;
    absent.missing &= ~lanes;
    absent.alive &= ~lanes;
    absent.there |= lanes;
    return absent.missing == 0;
  });
  return any;
}

void MeetingRules::are_alive(uint32_t warp, uint32_t mask, bool at_barrier) {
  std::erase_if(absent_, [&](Absent& absent) {
    if (absent.warp != warp) return false;
    absent.alive |= absent.missing & mask;
    if (absent.alive == 0 || (!absent.exchange && !at_barrier)) return false;
    report(absent, absent.alive);
    return true;
  });
}

void MeetingRules::report(const Absent& absent, uint32_t lanes) {
  MeetingMistake found = mistake(Kind::absent_member, absent.warp, lanes, absent.location);
  found.named = absent.named;
  found.there = absent.there;
  mistakes_.add(found);
}

void MeetingRules::end() {
  for (const Absent& absent : absent_)
    if (absent.alive != 0)
      report(absent, absent.alive);
    else if (absent.reads)
      report_source(absent);
  absent_.clear();
}

// Nothing was seen of the others: they have ended, or never were.
void MeetingRules::report_source(const Absent& absent) {
  MeetingMistake found =
      mistake(Kind::absent_source, absent.warp, uint32_t{1} << absent.reader, absent.location);
  found.named = absent.named;
  found.there = absent.there;
  found.source = absent.warp * warp_size + absent.source;
  mistakes_.add(found);
}

// --- Barriers in shared memory -------------------------------------------------------------------

void MeetingRules::shared_barrier(const exec::WarpOrdering& ordering,
                                  const SharedBarriers::Mistake& shared) {
  MeetingMistake found = mistake(shared.begun ? Kind::begun_again : Kind::ended_early,
                                 ordering.warp, shared.lanes, shared.location);
  found.place = shared.place;
  found.waits_at = ordering.location;
  mistakes_.add(found);
}

}  // namespace cuvette::watch
