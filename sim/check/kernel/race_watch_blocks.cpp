// SPDX-License-Identifier: Apache-2.0
// Blocks and orders as they come, what the notes say of written memory, and what is known at the
// end.
#include <algorithm>
#include <atomic>

#include "sim/check/kernel/race_watch_block.hpp"

namespace cuvette::watch {

namespace {

// So many parts of a footprint are distinguished by the thread that touched them.
constexpr size_t most_exact = 2048;

}  // namespace

uint64_t RaceWatch::new_time() {
  // The state of a note that is closed is the next number, so each second one is left out.
  static constinit std::atomic<uint64_t> next{2};
  return next.fetch_add(2, std::memory_order_relaxed);
}

RaceWatch::RaceWatch(bool wanted, TaintWatch* taint, Window window,
                     std::span<const ptx::NumberedAccess> accesses)
    : wanted_(wanted),
      taint_(taint),
      launch_time_(new_time()),
      written_time_(new_time()),
      places_(accesses) {
  if (window.bytes == 0 || !(wanted_ || taint_)) return;
  notes_lines_ = wanted_;
  sheets_ = NoteSheets::take(window.begin, window.bytes);
  if (!sheets_) return;
  global_ = Shadow({sheets_->notes(), sheets_->begin(), sheets_->bytes(), launch_time_}, false);
}

RaceWatch::~RaceWatch() {
  if (sheets_) NoteSheets::give(std::move(sheets_), global_.opened_pages() + marked_lines_ / 32);
}

void RaceWatch::begins(BlockState& own, exec::Block& block) {
  own.begin(static_cast<uint32_t>(block.index()));
  ptx::BlockContext& context = block.context;
  context.watch_time = own.time = new_time();
  context.launch_time = launch_time_;
  context.written_time = &written_time_;
}

void RaceWatch::show_notes(const BlockState& own, ptx::BlockContext& context) const {
  context.global_lines = global_.notes().lines();
  context.shared_lines = own.shared.notes().lines();
}

// --- Orders --------------------------------------------------------------------------------------

void RaceWatch::orders(BlockState& own, const ptx::BlockContext& context,
                       const exec::WarpOrdering& ordering) {
  if (!wanted_) return;
  const auto each_thread = [&](const auto& visit) {
    each_lane(ordering.mask, [&](uint32_t lane) {
      visit(ordering.warp * ptx::warp_size + lane, static_cast<uint32_t>(ordering.operands[lane]));
    });
  };
  switch (ordering.what) {
    case ptx::Ordering::async_groups:
      each_thread([&](uint32_t thread, uint32_t) {
        if (const auto copies = own.copies.find(thread); copies != own.copies.end())
          ++copies->second.groups;
      });
      break;
    case ptx::Ordering::async_wait:
      each_thread([&](uint32_t thread, uint32_t groups) { end_copies(own, thread, groups); });
      break;
    case ptx::Ordering::async_arrive:
      each_thread([&](uint32_t thread, uint32_t) { end_copies(own, thread, 0); });
      break;
    default:
      break;
  }
  orders_.orders(own, context, ordering);
}

// Their bytes count as written now, by their thread.
void RaceWatch::end_copies(BlockState& own, uint32_t thread, uint32_t groups_left) {
  const auto known = own.copies.find(thread);
  if (known == own.copies.end()) return;
  BlockState::Copies& copies = known->second;
  const auto is_over = [&](const BlockState::Copy& copy) {
    return groups_left == 0 || copy.group + groups_left < copies.groups;
  };
  for (const BlockState::Copy& copy : copies.under_way) {
    if (!is_over(copy)) continue;
    const auto end = [&](Mark& write) {
      if (write.is(Mark::async) && write.thread() == thread)
        write = {own.order.block(), own.order.now(), static_cast<uint16_t>(thread), copy.place};
    };
    for (Cell& cell : own.shared.cells(copy.offset, copy.bytes)) {
      end(cell.write);
      if (cell.more & Cell::another) end(own.shared.others(cell).write);
    }
  }
  std::erase_if(copies.under_way, is_over);
}

void RaceWatch::arrives(BlockState& own, uint32_t number, uint32_t mask, uint32_t warp) {
  if (wanted_) orders_.arrives(own, number, mask, warp);
}

void RaceWatch::meet(BlockState& own, exec::Block& block, uint32_t number, uint32_t warps,
                     bool all) {
  if (!wanted_) return;
  const uint32_t before = own.order.barrier();
  orders_.meet(own, block, number, warps, all);
  if (all) block.context.watch_time = own.time = new_time();
  // All accesses to shared memory have ended, except copies.
  if (own.order.barrier() != before &&
      std::ranges::all_of(own.copies, [](const auto& one) { return one.second.under_way.empty(); }))
    own.shared.reopen();
}

// --- Written memory ------------------------------------------------------------------------------

void RaceWatch::doubt_written() { written_time_ = new_time(); }

void RaceWatch::note_written(BlockState& own, const ptx::BlockContext& context,
                             const exec::WarpRows& rows) {
  // Others will come to the line.
  for (const exec::WarpRows::Row& row : rows.all()) {
    uint64_t at = row.begin;
    const Memory memory = memory_of(context, rows.access, at);
    if (memory == Memory::local) continue;
    LineNote* const note = (memory == Memory::shared ? own.shared : global_).notes().find(at);
    if (!note || !taint_->is_written(own.taint, memory, at & -uint64_t{Line::bytes}, Line::bytes))
      continue;
    note->written_at = written_time_;
    ++marked_lines_;
  }
}

// --- Afterwards ----------------------------------------------------------------------------------

const std::vector<Touched>& RaceWatch::touched() const {
  if (touched_) return *touched_;
  std::vector<Touched>& all = touched_.emplace();
  uint16_t place = 0;
  global_.each([&](uint64_t address, uint32_t bytes, const Cell& cell) {
    const bool reads = cell.is_read(), writes = cell.written(), atomic = cell.only_strong();
    Mark mark = writes ? cell.write : cell.read;
    if (!all.empty()) {
      Touched& last = all.back();
      const bool is_like = last.reads == reads && place == mark.place;
      if (last.end == address && last.writes == writes && last.atomic == atomic &&
          (is_like || all.size() >= most_exact)) {
        last.end += bytes;
        last.reads |= reads;
        return;
      }
    }
    place = mark.place;
    all.push_back({address, address + bytes, reads, writes, atomic, accessor(mark)});
  });
  return all;
}

Accessor RaceWatch::toucher(uint64_t address) const {
  const Cell cell = global_.find(address);
  return accessor(cell.write ? cell.write : cell.read);
}

}  // namespace cuvette::watch
