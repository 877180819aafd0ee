// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/kernel_watch.hpp"

#include <bit>
#include <utility>

#include "sim/base/recycled.hpp"
#include "sim/check/kernel/race_watch_block.hpp"
#include "sim/check/kernel/race_watch_noted.hpp"
#include "sim/exec/grid.hpp"

namespace cuvette::watch {

// The state that the watches keep for a block while it runs.
struct KernelWatch::BlockState final : exec::BlockWatch, Recycled<KernelWatch::BlockState> {
  BlockState(uint32_t threads, uint64_t shared_bytes) : races(threads, shared_bytes, taint) {}

  TaintWatch::BlockState taint;
  MeetingWatch::BlockState meetings;
  RaceWatch::BlockState races;
};

inline KernelWatch::BlockState& KernelWatch::of(exec::Block& block) {
  return static_cast<BlockState&>(*block.own_watch);
}

// Memory with several addresses is looked at byte by byte, so none of it has notes then; the same
// holds for what a launch writes and reads as read-only memory, if that is to be hidden.
KernelWatch::KernelWatch(uint32_t threads, WatchFor what)
    : threads_(threads),
      aliases_(std::move(what.aliases), what.adversary),
      read_only_(what.races, what.adversary, what.accesses),
      taint_(what.written ? std::make_unique<TaintWatch>(*what.written) : nullptr),
      meetings_(threads, what.meetings, what.accesses),
      races_(what.races, taint_.get(), sees_lanes() ? RaceWatch::Window() : what.window,
             what.accesses) {}

std::unique_ptr<exec::BlockWatch> KernelWatch::begins(exec::Block& block,
                                                      std::unique_ptr<exec::BlockWatch> earlier) {
  if (!earlier)
    earlier = std::make_unique<BlockState>(threads_, sees_lanes() ? 0 : block.context.shared_bytes);
  auto& own = static_cast<BlockState&>(*earlier);
  meetings_.begins(own.meetings, block.index());
  races_.begins(own.races, block);
  own.taint.clear();
  follow_changes(block, own);
  return earlier;
}

// --- Accesses ------------------------------------------------------------------------------------

void KernelWatch::accesses(exec::Block& block, const exec::WarpAccess& warp) {
  BlockState& own = of(block);
  meetings_.seen(own.meetings, warp.warp, warp.mask);
  aliases_.accesses(block, warp);
  read_only_.accesses(block, warp);
  if (changes_.looks()) [[unlikely]]
    changes_.accesses(block, warp);
  if (warp.mask != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(warp.mask));
    const uint64_t address = warp.addresses[lane];
    if (taint_) taint_->settle_before(warp.access, races_.has_note(address));
    meetings_.accesses(block.index(), warp.warp * ptx::warp_size + lane, 0,
                       {warp.location, warp.access}, address);
  }
  if (taint_ && warp.access & ptx::access_write) taint_->writes(own.taint, block, warp);
  races_.accesses(own.races, block.context, warp);
}

bool KernelWatch::rows(exec::Block& block, const exec::WarpRows& warp,
                       const exec::GridRange& around) {
  if (sees_lanes() || changes_.looks()) return false;
  BlockState& own = of(block);
  if (!races_.rows(own.races, block.context, warp, around)) return false;
  if (taint_ && warp.access & ptx::access_write && !taint_->writes(own.taint, block, warp))
    return false;
  meetings_.seen(own.meetings, warp.warp, warp.mask);
  read_only_.rows(block, warp);
  if (warp.count == 0) return true;
  const exec::WarpRows::Row& first = warp.row[0];
  if (taint_) taint_->settle_before(warp.access, races_.has_note(first.begin));
  meetings_.accesses(block.index(), warp.warp * ptx::warp_size + first.lane, 0,
                     {warp.location, warp.access}, first.begin);
  return true;
}

// Most of what kernels do comes here. RaceWatch tells TaintWatch of a write that it only notes.
ptx::Noted KernelWatch::note_line(exec::Block& block, const exec::WarpLine& warp) {
  if (changes_.looks()) return ptx::Noted::no;
  BlockState& own = of(block);
  const ptx::Noted result = races_.note_line(own.races, warp);
  if (result == ptx::Noted::no) return result;
  meetings_.seen(own.meetings, warp.warp, warp.mask);
  read_only_.note_line(block, warp);
  meetings_.accesses(block.index(), warp.warp * ptx::warp_size, warp.number, {}, warp.begin);
  return result;
}

// --- Orders --------------------------------------------------------------------------------------

void KernelWatch::orders(exec::Block& block, const exec::WarpOrdering& ordering) {
  BlockState& own = of(block);
  meetings_.orders(own.meetings, ordering, block.context);
  if (ordering.what == ptx::Ordering::alias_fence) aliases_.fence();
  if (taint_ && ordering.what == ptx::Ordering::fence) taint_->settle();
  races_.orders(own.races, block.context, ordering);
}

void KernelWatch::arrives(exec::Block& block, uint32_t number, uint32_t mask, uint32_t warp) {
  races_.arrives(of(block).races, number, mask, warp);
}

void KernelWatch::meet(exec::Block& block, uint32_t number, uint32_t warps, bool all) {
  BlockState& own = of(block);
  meetings_.meet(own.meetings, number, warps, all);
  races_.meet(own.races, block, number, warps, all);
}

// --- Memory that kernels allocate ---------------------------------------------------------------

void KernelWatch::renewed(uint64_t address, uint64_t bytes) {
  races_.renewed(address, bytes);
  races_.doubt_written();
  if (taint_) taint_->renewed(address, bytes);
}

void KernelWatch::freed(uint64_t address, uint64_t bytes) { races_.freed(address, bytes); }

// --- Uninitialised memory ------------------------------------------------------------------------

void KernelWatch::written(exec::Block& block, uint64_t address, uint64_t bytes) {
  if (taint_) taint_->written(of(block).taint, block, address, bytes);
}

bool KernelWatch::all_written(exec::Block& block, const exec::WarpRows& rows) {
  if (!taint_) return true;
  BlockState& own = of(block);
  if (!taint_->all_written(own.taint, block, rows)) return false;
  races_.note_written(own.races, block.context, rows);
  return true;
}

bool KernelWatch::taint_load(exec::Block& block, const exec::WarpAccess& access, uint32_t* taints,
                             uint32_t count) {
  return taint_ && taint_->load(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_store(exec::Block& block, const exec::WarpAccess& access,
                              const uint32_t* taints, uint32_t count) {
  if (!taint_) return;
  races_.doubt_written();  // whatever their address
  taint_->store(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_use(exec::Block& block, ptx::TaintUse use, const uint32_t* taints,
                            const exec::WarpAccess& by) {
  if (taint_) taint_->use(of(block).taint, block, use, taints, by);
}

// --- Launches that wait --------------------------------------------------------------------------

bool KernelWatch::goes_on(int64_t ns) {
  if (!meetings_.is_wanted()) return false;
  changes_.pauses();
  if (changes_.looks()) {
    if (!changes_.changed()) return false;
    changes_.end();
    return true;
  }
  if (ns > long_wait_ns) changes_.begin();
  return false;
}

void KernelWatch::follow_changes(exec::Block& block) const { follow_changes(block, of(block)); }

// While changes are looked for, no line is quiet.
void KernelWatch::follow_changes(exec::Block& block, const BlockState& own) const {
  ptx::BlockContext& context = block.context;
  races_.show_notes(own.races, context);
  if (changes_.looks()) context.global_lines.bytes = context.shared_lines.bytes = 0;
}

}  // namespace cuvette::watch
