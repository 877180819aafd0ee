// SPDX-License-Identifier: Apache-2.0
// Block: a block of threads while it runs: its context, its memory, and which of its warps wait for
// what.
//
// The warps of a kernel with frames are state machines. run() calls one after the other until all
// have finished, or until all that can run only wait for others; then it returns, and any thread
// may go on with the block later. No part of the block lies on a stack.
//
// Threads: one at a time.
// Invariants: a warp that has not finished is runnable or waits at one barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/exec/grid_watch.hpp"
#include "sim/exec/schedule.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec {

struct Counts;
class Grid;

// How much memory a block needs beside its context.
struct BlockNeeds {
  uint32_t frame_bytes = 0;   // for each warp
  uint32_t shared_bytes = 0;  // all that it may touch
  uint32_t local_bytes = 0;   // for each thread
  uint32_t alignment = 16;    // of shared memory, and of each thread's local memory: a power of two
  bool fill_shared = false;   // fill it with the pattern of fresh memory for each block
};

class Block {
 public:
  // Takes a kept block that has enough memory, or makes one. The number and size of kept blocks are
  // bounded.
  static std::unique_ptr<Block> take(const BlockNeeds& needs, uint32_t threads);
  static void give_back(std::unique_ptr<Block> block);

  ~Block();

  // The caller sets everything that begin() does not. Helpers find the block by `context.owner`,
  // see of().
  ptx::BlockContext context{};
  Grid* grid = nullptr;
  GridWatch* watch = nullptr;             // the grid's; null: it is not watched
  std::unique_ptr<BlockWatch> own_watch;  // what it keeps for this block
  Counts* counts = nullptr;               // of the thread that runs it, if the grid is counted
  Block* next_parked = nullptr;           // belongs to the grid
  KernelOrder order = 0;                  // in which the warps take turns
  static Block& of(const ptx::BlockContext& context) { return *static_cast<Block*>(context.owner); }

  // Turns this into block `index` of the grid, at its beginning. Returns how many consecutive
  // blocks, at most `most`, the next run() runs; this is then the last of them.
  uint64_t begin(uint64_t index, uint64_t most = 1);
  uint64_t index() const { return index_; }

  enum class Turn : uint8_t {
    finished,
    yielded,  // all that can run wait for something outside
    stopped,  // a fault, which the grid has recorded
    stuck,    // all wait at barriers that will never be completed
  };
  // Runs as far as it can.
  Turn run(ptx::KernelEntry* entry);
  // Whether a warp did more than wait in the last run().
  bool moved() const { return moved_; }
  // Whether, in the last run(), warps slept that go on by themselves, or met at barriers in a loop
  // that may wait for others. Either may mean that the block makes progress.
  bool slept() const { return slept_; }
  bool met() const { return met_; }

  // Counts a warp at barrier `number` of `threads` threads; the warp goes on. `mask`: its lanes.
  void arrive(uint32_t number, uint32_t threads, uint32_t mask, uint32_t warp);
  // Which lanes of the warp, which waits at a barrier, have come to it.
  uint32_t lanes_at_barrier(uint32_t warp) const { return frame(warp).lanes; }

 private:
  struct Barrier {
    uint32_t waiting;   // warps
    uint32_t arrived;   // threads that went on
    uint32_t expected;  // threads, 0: all of the block that have not finished
    bool reduces;       // some waiting warps ask for a reduction over all
  };
  static constexpr uint32_t barriers = ptx::cluster_barrier + 1;

  Block() = default;
  bool fits(size_t bytes) const { return bytes <= capacity_; }
  ptx::WarpFrame& frame(uint32_t warp) const {
    return *reinterpret_cast<ptx::WarpFrame*>(context.frames + warp * context.frame_stride);
  }
  uint32_t enter(ptx::KernelEntry* entry, uint32_t first, uint32_t end);
  Turn run_whole(ptx::KernelEntry* entry);
  // Returns which of the warps in `round` has the next turn.
  uint32_t next_warp(uint32_t round) const;
  void wait(uint32_t warp);
  void release_if_complete(Barrier& barrier);
  void reduce(const Barrier& barrier);

  uint64_t index_ = 0;
  uint32_t alive_ = 0, runnable_ = 0;  // warps
  bool moved_ = false, slept_ = false, met_ = false, fill_shared_ = false;
  bool any_barrier_ = false;
  bool has_begun_ = false;  // in this grid
  Barrier barriers_[barriers]{};
  uint8_t* memory_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace cuvette::exec
