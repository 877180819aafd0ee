// SPDX-License-Identifier: Apache-2.0
// Blocks, instructions and accesses as they come; and what is known at the end.
#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <utility>

#include "sim/check/kernel/watched_block.hpp"

namespace cuvette::watch {

namespace {

constexpr uint16_t most_places = UINT16_MAX;
// So many parts of a footprint are distinguished by the thread that touched them.
constexpr size_t most_exact = 2048;

}  // namespace

uint64_t KernelWatch::new_time() {
  // The state of a note that is closed is the next number, so each second one is left out.
  static constinit std::atomic<uint64_t> next{2};
  return next.fetch_add(2, std::memory_order_relaxed);
}

KernelWatch::KernelWatch(uint32_t threads, WatchFor what)
    : threads_(threads),
      races_wanted_(what.races),
      meetings_wanted_(what.meetings),
      aliases_(std::move(what.aliases), what.adversary),
      taint_(what.written ? std::make_unique<TaintWatch>(*what.written) : nullptr),
      launch_time_(new_time()),
      written_time_(new_time()),
      given_places_(what.accesses) {
  // Memory with several addresses is looked at byte by byte.
  if (aliases_.any() || what.window_bytes == 0 || !(races_wanted_ || taint_)) return;
  notes_lines_ = races_wanted_;
  sheets_ = NoteSheets::take(what.window_begin, what.window_bytes);
  if (!sheets_) return;
  global_ = Shadow({sheets_->notes(), sheets_->begin(), sheets_->bytes(), launch_time_}, false);
}

KernelWatch::~KernelWatch() {
  if (sheets_) NoteSheets::give(std::move(sheets_), global_.opened_pages() + marked_lines_ / 32);
}

std::unique_ptr<exec::BlockWatch> KernelWatch::begins(exec::Block& block,
                                                      std::unique_ptr<exec::BlockWatch> earlier) {
  ptx::BlockContext& context = block.context;
  if (!earlier)
    earlier = std::make_unique<OfBlock>(threads_, meetings_wanted_ ? &meeting_mistakes_ : nullptr,
                                        aliases_.any() ? 0 : context.shared_bytes);
  auto* const own = static_cast<OfBlock*>(earlier.get());
  own->begin(static_cast<uint32_t>(block.index()));
  follow_changes(block, *own);
  context.watch_time = own->time = new_time();
  context.launch_time = launch_time_;
  context.written_time = &written_time_;
  return earlier;
}

uint16_t KernelWatch::new_number_of(const Place& place) {
  const auto [known, fresh] = numbers_.try_emplace({place.location, place.access}, 0);
  if (fresh) {
    const size_t count = given_places_.size() + more_places_.size();
    if (count == most_places) return 0;
    more_places_.push_back(place);
    known->second = static_cast<uint16_t>(count + 1);
  }
  return known->second;
}

bool KernelWatch::goes_on(int64_t ns) {
  if (!meetings_wanted_) return false;
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
void KernelWatch::follow_changes(exec::Block& block, const OfBlock& own) const {
  ptx::BlockContext& context = block.context;
  context.global_lines = global_.notes().lines();
  context.shared_lines = own.shared.notes().lines();
  if (changes_.looks()) context.global_lines.bytes = context.shared_lines.bytes = 0;
}

LastAccess KernelWatch::last_access() const {
  LastAccess last = last_;
  if (last_number_ != 0) last.by.place = place(static_cast<uint16_t>(last_number_));
  return last;
}

Accessor KernelWatch::accessor(const Mark& mark) const {
  return {mark.block, mark.thread(), place(mark.place)};
}

// --- Accesses ------------------------------------------------------------------------------------

// A thread that sees a strong access may read what was written before. So may the host, which looks
// at its own flag.
void KernelWatch::settle_before(uint32_t access, uint64_t address) {
  constexpr uint32_t own = ptx::access_shared | ptx::access_local;
  const bool is_flag =
      access & ptx::access_write && !(access & own) && !global_.notes().find(address);
  if (access & ptx::access_strong || is_flag) taint_->settle();
}

void KernelWatch::accesses(exec::Block& block, const exec::WarpAccess& warp) {
  OfBlock& own = of(block);
  if (own.rules) own.rules->seen(warp.warp, warp.mask);
  aliases_.accesses(block, warp);
  if (changes_.looks()) [[unlikely]]
    changes_.accesses(block, warp);
  if (warp.mask != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(warp.mask));
    if (taint_) settle_before(warp.access, warp.addresses[lane]);
    remember(block, warp.warp * ptx::warp_size + lane, 0, {warp.location, warp.access},
             warp.addresses[lane]);
  }
  if (taint_ && warp.access & ptx::access_write) taint_->writes(own.taint, block, warp);
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

// --- Memory that kernels allocate ---------------------------------------------------------------

void KernelWatch::renewed(uint64_t address, uint64_t bytes) {
  global_.forget(address, address + bytes);
  written_time_ = new_time();
  if (taint_) taint_->renewed(address, bytes);
}

// Whether a line may be accessed is not asked again while it is noted.
void KernelWatch::freed(uint64_t address, uint64_t bytes) {
  global_.close(address, address + bytes);
}

// --- Uninitialised memory ------------------------------------------------------------------------

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
    if (memory == Memory::local) continue;
    LineNote* const note = (memory == Memory::shared ? own.shared : global_).notes().find(at);
    if (!note || !taint_->is_written(own.taint, memory, at & -uint64_t{Line::bytes}, Line::bytes))
      continue;
    note->written_at = written_time_;
    ++marked_lines_;
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
  written_time_ = new_time();  // whatever their address
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
