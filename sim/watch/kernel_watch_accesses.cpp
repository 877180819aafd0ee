// SPDX-License-Identifier: Apache-2.0
// Blocks, instructions and accesses as they come; and what is known at the end.
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "sim/watch/watched_block.hpp"

namespace cuvette::watch {

namespace {

constexpr uint16_t most_places = UINT16_MAX;
// So many parts of a footprint are told apart by who touched them.
constexpr size_t most_exact = 2048;

}  // namespace

KernelWatch::KernelWatch(uint32_t threads, WatchFor what)
    : threads_(threads),
      races_wanted_(what.races),
      meetings_wanted_(what.meetings),
      aliases_(std::move(what.aliases), what.adversary),
      taint_(what.written ? std::make_unique<TaintWatch>(*what.written) : nullptr) {}

std::unique_ptr<exec::BlockWatch> KernelWatch::begins(exec::Block& block) {
  auto own = std::make_unique<OfBlock>(static_cast<uint32_t>(block.index()), threads_,
                                       meetings_wanted_ ? &meeting_mistakes_ : nullptr);
  block.context.quiet_lines = quiet_;
  block.context.watch_time = own->time = ++times_;
  return own;
}

uint16_t KernelWatch::new_number_of(const Place& place) {
  const auto [known, fresh] = numbers_.try_emplace({place.location, place.access}, 0);
  if (fresh) {
    if (places_.size() == most_places) return 0;
    known->second = static_cast<uint16_t>(places_.size());
    places_.push_back(place);
  }
  return known->second;
}

Accessor KernelWatch::accessor(const Mark& mark) const {
  return {mark.block, mark.thread(), places_[mark.place]};
}

// --- Accesses ------------------------------------------------------------------------------------

void KernelWatch::accesses(exec::Block& block, const exec::WarpAccess& warp) {
  if (taint_ && warp.access & ptx::access_write) taint_->writes(of(block).taint, block, warp);
  OfBlock& own = of(block);
  if (own.rules) own.rules->seen(warp.warp, warp.mask);
  aliases_.accesses(block, warp);
  if (meetings_wanted_ && warp.mask != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(warp.mask));
    last_ = {{block.index(), warp.warp * ptx::warp_size + lane, {warp.location, warp.access}},
             warp.addresses[lane]};
  }
  if (!races_wanted_ || warp.access & (ptx::access_local | ptx::access_constant)) return;
  const ptx::BlockContext& context = block.context;
  const uint32_t bytes = ptx::access_bytes(warp.access);
  const Mark mark = mark_of(own, warp);
  const uint64_t first = warp.mask ? warp.addresses[std::countr_zero(warp.mask)] : 0;
  bool together = true;
  each_lane(warp.mask, [&](uint32_t l) { together = together && warp.addresses[l] == first; });
  each_lane(warp.mask, [&](uint32_t l) {
    Lane lane;
    lane.address = warp.addresses[l];
    const Memory memory = memory_of(context, warp.access, lane.address);
    if (memory == Memory::local) return;
    lane.shared = memory == Memory::shared;
    lane.mark = mark.by_thread(warp.warp * ptx::warp_size + l);
    lane.bytes = bytes;
    lane.access = warp.access;
    lane.value = warp.values ? static_cast<const uint8_t*>(warp.values) + l * bytes : nullptr;
    lane.memory = lane.shared ? context.shared + lane.address
                              : reinterpret_cast<const uint8_t*>(lane.address);
    lane.warp = &warp;
    lane.together = together;
    access(own, lane);
  });
}

// --- What nobody has written ---------------------------------------------------------------------

void KernelWatch::written(exec::Block& block, uint64_t address, uint64_t bytes) {
  if (taint_) taint_->written(of(block).taint, block, address, bytes);
}

bool KernelWatch::all_written(exec::Block& block, const exec::WarpRows& rows) {
  if (!taint_) return true;
  OfBlock& own = of(block);
  if (!taint_->all_written(own.taint, block, rows)) return false;
  // Others will come to the line.
  for (const exec::WarpRows::Row& row : rows.all()) {
    uint64_t at = row.begin;
    const Memory memory = memory_of(block.context, rows.access, at);
    if (memory != Memory::local &&
        taint_->is_written(own.taint, memory, at & -uint64_t{Line::bytes}, Line::bytes))
      quiet(at, memory == Memory::shared).written_at = own.time;
  }
  return true;
}

bool KernelWatch::taint_load(exec::Block& block, const exec::WarpAccess& access, uint32_t* taints,
                             uint32_t count) {
  return taint_ && taint_->load(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_store(exec::Block& block, const exec::WarpAccess& access,
                              const uint32_t* taints, uint32_t count) {
  if (!taint_) return;
  for (ptx::QuietLine& line : quiet_) line.written_at = 0;  // whatever its address
  taint_->store(of(block).taint, block, access, taints, count);
}

void KernelWatch::taint_use(exec::Block& block, ptx::TaintUse use, const uint32_t* taints,
                            const exec::WarpAccess& by) {
  if (taint_) taint_->use(of(block).taint, block, use, taints, by);
}

// --- Afterwards ----------------------------------------------------------------------------------

const std::vector<Touched>& KernelWatch::touched() const {
  if (touched_) return *touched_;
  std::vector<Touched>& all = touched_.emplace();
  uint16_t place = 0;
  global_.each([&](uint64_t address, uint32_t bytes, const Cell& cell) {
    const bool writes = cell.written(), atomic = cell.only_strong();
    Mark mark = writes ? cell.write : cell.read;
    if (!all.empty()) {
      Touched& last = all.back();
      if (last.end == address && last.writes == writes && last.atomic == atomic &&
          (place == mark.place || all.size() >= most_exact)) {
        last.end += bytes;
        return;
      }
    }
    place = mark.place;
    all.push_back({address, address + bytes, writes, atomic, accessor(mark)});
  });
  return all;
}

Accessor KernelWatch::toucher(uint64_t address) const {
  const Cell cell = global_.find(address);
  return accessor(cell.write ? cell.write : cell.read);
}

}  // namespace cuvette::watch
