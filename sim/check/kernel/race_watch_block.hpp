// SPDX-License-Identifier: Apache-2.0
// The state that RaceWatch keeps for a block while it runs, an access of one lane, and shared
// declarations.
//
// Threads: the one that runs the grid.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/check/kernel/race_watch.hpp"

namespace cuvette::watch {

struct RaceWatch::BlockState : OrderWatch::BlockState {
  // `shared_bytes`: so much shared memory has notes, which are open. `taint`: the block's, which
  // outlives this.
  BlockState(uint32_t threads, uint64_t shared_bytes, TaintWatch::BlockState& taint_of_block)
      : OrderWatch::BlockState(threads),
        shared_lines_end(shared_bytes / Line::bytes * Line::bytes),
        note_count((shared_bytes + Line::bytes - 1) / Line::bytes),
        notes(note_count ? std::make_unique<LineNote[]>(note_count) : nullptr),
        shared({notes.get(), 0, note_count * Line::bytes, 0}, true),
        taint(taint_of_block) {}

  // Forgets the block before.
  void begin(uint32_t block) {
    OrderWatch::BlockState::begin(block);
    for (size_t n = 0; n < note_count; ++n) notes[n].forget();
    shared.clear();
    copies.clear();
  }

  // Asynchronous copies of a thread that it has not waited for.
  struct Copy {
    uint32_t group;
    uint64_t offset;
    uint32_t bytes;
    uint16_t place;
  };
  struct Copies {
    uint32_t groups = 0;  // that it has committed
    std::vector<Copy> under_way;
  };

  const uint64_t shared_lines_end;
  const size_t note_count;
  const std::unique_ptr<LineNote[]> notes;  // of shared memory
  Shadow shared;
  std::unordered_map<uint32_t, Copies> copies;
  TaintWatch::BlockState& taint;
  uint64_t time = 0;  // one for each of its parts between barriers; see ptx::QuietLine
};

struct RaceWatch::Lane {
  Mark mark;
  uint64_t address;  // or the offset in shared memory
  uint32_t bytes, access;
  bool shared;
  const uint8_t* value;   // what it writes, or null
  const uint8_t* memory;  // where it writes
  const exec::WarpAccess* warp;
  bool together;  // all lanes that take part access these bytes
};

inline uint16_t RaceWatch::how(const BlockState& own, uint32_t access, uint32_t warp,
                               uint32_t mask) {
  uint16_t how = 0;
  if (access & ptx::access_strong) how |= Mark::strong;
  if (access & ptx::access_volatile) how |= Mark::is_volatile;
  if (access & ptx::access_async && access & ptx::access_write) how |= Mark::async;
  if (access & ptx::access_atomic) how |= Mark::atomic;
  if (ptx::scope_of(access) != ptx::Scope::block) how |= Mark::wide;
  if (mask == own.order.lanes_of(warp)) how |= Mark::converged;
  return how;
}

// Thread 0's; `warp` is a WarpAccess or WarpRows.
template <typename Access>
Mark RaceWatch::mark_of(const BlockState& own, const Access& warp) {
  return {own.order.block(), own.order.now(), how(own, warp.access, warp.warp, warp.mask),
          places_.number_of({warp.location, warp.access}, warp.number)};
}

// Two readers are kept, as far from each other as possible: a writer that comes after both rarely
// fails to come after the others.
template <typename Replaces>
void RaceWatch::keep_read(Shadow& shadow, Cell& cell, const Mark& mark, const Replaces& replaces) {
  if (replaces(cell.read)) {
    cell.read = mark;
    if (cell.more & Cell::another && replaces(shadow.others(cell).read))
      shadow.others(cell).read = {};
    return;
  }
  Mark& other = shadow.others(cell).read;
  const auto distance = [&](const Mark& one) {
    if (!one) return 0;
    if (one.block != cell.read.block) return 3;
    return one.warp() != cell.read.warp() ? 2 : 1;
  };
  if (replaces(other) || distance(mark) >= distance(other)) other = mark;
}

}  // namespace cuvette::watch
