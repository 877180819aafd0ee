// SPDX-License-Identifier: Apache-2.0
// Grid: the blocks of one launch, and how they are run.
//
// Blocks start in the order of their numbers, unless a schedule gives them another one. A grid that
// is known to be short runs in the thread that comes to it; workers join in for others. A block
// that only waits for others is put aside, with all that belongs to it, and resumed after later
// blocks by any thread that is free. When all blocks that have started wait like that, and no other
// can start, run() returns, so that neither the queue's runner nor a worker is held up by what the
// host, another stream or another process has to do. The caller of run() calls it again after
// pause().
//
// Threads: run() by one at a time, in a thread that has no DeviceAccess; workers join inside.
// Invariant: at most `most_resident` blocks have begun and not finished.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/base/mutex.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/permutation.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/exec/workers.hpp"
#include "sim/os/fault.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec {

class GridCounts;
class GridTracks;

// The cause that stopped a kernel.
struct GridFault {
  enum class Kind : uint8_t {
    illegal_address,  // the kernel may not touch it, or not in this way
    misaligned,
    no_function,  // it called an address at which there is none
    lost_page,    // it may touch it, but the page has gone: see `memory`
    trap,
    breakpoint,
    assertion,      // `text` says which
    stuck,          // a block with all warps waiting at barriers that nobody completes
    not_supported,  // `text` says what
  };
  Kind kind = Kind::trap;
  uint32_t block[3] = {}, thread[3] = {};
  uint64_t address = 0;   // of the access
  uint32_t access = 0;    // what check() was given
  uint64_t location = 0;  // made by location_of()
  std::string text;
  // Of an access outside of the variable that it names: its size, and where the access begins in
  // it.
  std::string variable;
  uint64_t variable_bytes = 0;
  int64_t offset = 0;
  os::MemoryFault memory{};
};

// Memory that a grid may touch.
struct GridRange {
  uint64_t begin = 0, end = 0;
  bool writable = false;
  bool lasts = true;  // until the grid has ended
};

// The services that a running grid needs from its launcher. Called by any thread; callers hold an
// os::DeviceAccess and an os::FaultScope, so neither may be made there.
class GridHost {
 public:
  // Returns the memory around `address`, which lies outside the window, that the grid may read (or
  // write); the answer holds as long as the grid runs.
  virtual std::optional<GridRange> range_of(uint64_t address, bool write) = 0;
  // Calls a function of the machine, with the helper's parameters. Returns a status.
  virtual uint32_t system_call(Block& block, ptx::SystemCall function, uint64_t* results,
                               const uint64_t* parameters, uint32_t mask, uint32_t warp,
                               uint64_t location) = 0;
  // Read textures, and access surfaces, with the parameters of the helpers of these names. Return a
  // status.
  virtual uint32_t texture(Block& block, uint32_t operation, const uint64_t* handles,
                           const uint32_t* operands, uint32_t* results, uint32_t mask,
                           uint32_t warp, uint64_t location) = 0;
  virtual uint32_t surface(Block& block, uint32_t operation, const uint64_t* handles,
                           const uint32_t* operands, uint32_t* texels, uint32_t mask, uint32_t warp,
                           uint64_t location) = 0;

 protected:
  ~GridHost() = default;
};

// The rest of a launch.
struct GridLaunch {
  ptx::KernelEntry* entry = nullptr;
  BlockNeeds needs;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;
  const uint64_t* symbols = nullptr;
  const ptx::Helpers* helpers = nullptr;
  uint64_t window_base = 0, window_bytes = 0;
  uint64_t grid_id = 0;
  uint32_t multiprocessors = 1;
  uint32_t clock_khz = 1'000'000;  // the rate at which %clock counts
  uint64_t most_resident = 1;      // blocks
  // All blocks may be resident at once, which most_resident allows, and they share a workspace for
  // grid-wide synchronisation.
  bool cooperative = false;
  KernelOrder order = 0;  // in which order blocks begin and warps take turns
  // How long a block of the kernel took last time, in nanoseconds; 0 if unknown. The grid updates
  // it.
  std::atomic<uint32_t>* block_ns = nullptr;
  // Sees what its threads do, one thread after the other; the entry was compiled for that. Usually
  // null.
  GridWatch* watch = nullptr;
  // Where they leave tracks; the entry was compiled for that. Usually null.
  GridTracks* tracks = nullptr;
  // Where they count what they do; the entry was compiled for that. Usually null.
  GridCounts* counts = nullptr;
};

class Grid final : private Pieces {
 public:
  // `launch` and `host` outlive it.
  Grid(const GridLaunch& launch, GridHost& host);
  ~Grid();

  enum class Progress : uint8_t {
    finished,  // or stopped by a fault
    waiting,   // for something outside the grid
  };
  Progress run();
  // Only after `waiting`: returns the edge to wait for before calling run() again.
  Edge pause();
  // Only after pause(): how long no block has moved, in nanoseconds.
  int64_t waited_ns() const;
  // Only after `waiting`: visits each block that has begun.
  template <typename Visit>
  void each_waiting(const Visit& visit) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (Block* block = first_parked_; block; block = block->next_parked) visit(*block);
  }
  // Only after `waiting`: its blocks have moved, although none came out of its loop.
  void has_moved();
  // Only after `finished`: returns the fault that stopped it, or null.
  const GridFault* fault() const { return stopped() ? &fault_ : nullptr; }

  GridHost& host() const { return host_; }
  const GridLaunch& launch() const { return launch_; }

  // --- For helpers ---
  // Keeps the first fault and stops all blocks. Returns the status to leave with.
  uint32_t stop(GridFault fault) EXCLUDES(mutex_);
  // Makes the fault of lane `lane` of a warp.
  GridFault fault_of(const Block& block, GridFault::Kind kind, uint32_t warp, uint32_t lane,
                     uint64_t location) const;
  // Returns the memory around `address` that the grid may touch, outside the window and the block's
  // own.
  std::optional<GridRange> range_of(uint64_t address, bool write) EXCLUDES(mutex_);
  // Returns all memory around `address` that the block may read.
  std::optional<GridRange> readable(const Block& block, uint64_t address);

 private:
  void run(size_t piece) override;  // in each thread that takes part
  // `alone`: no other thread takes part, and it returns early when others could help.
  void participate(bool alone);
  void run_whole_blocks(bool alone);  // for kernels without frames, block after block
  void run_steps(bool alone);         // for kernels with frames
  // Takes the next `blocks` blocks for the caller; returns the place of the first in the order.
  uint64_t take_chunk(bool alone, uint64_t blocks);
  std::unique_ptr<Block> make_block();
  Block::Turn take_turn(Block& block, os::FaultScope& scope);
  void park(std::unique_ptr<Block> block) EXCLUDES(mutex_);
  std::unique_ptr<Block> take_parked() EXCLUDES(mutex_);
  bool linger(bool at_work);
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  bool worth_helpers(bool takes_long) const;
  // Whether block times are recorded; pointless for a single block.
  bool timed() const { return launch_.block_ns && count_ > 1; }
  void note_time(int64_t begun, uint64_t done);

  const GridLaunch& launch_;
  GridHost& host_;
  const uint64_t count_;
  const uint32_t threads_;
  const Permutation order_;
  uint64_t chunk_ = 1;  // blocks taken at once; for a lone thread, only the first time

  // Padding keeps next_ apart from what all participants only read; alignment would make allocation
  // slow.
  [[maybe_unused]] char before_next_[56];
  std::atomic<uint64_t> next_{0};
  [[maybe_unused]] char behind_next_[56];
  std::atomic<uint64_t> finished_{0};
  std::atomic<uint64_t> resident_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> faulting_{false};
  std::atomic<int64_t> moved_at_{0};        // since when no block has moved; 0: not known
  std::atomic<bool> at_work_{false};        // blocks that seem to wait may make progress
  std::atomic<unsigned> waiting_turns_{0};  // how often pause() was called since a block moved
  int64_t waiting_since_ = 0;
  GridFault fault_;
  // The host's answers; entries below the count no longer change.
  static constexpr unsigned known_ranges = 8;
  GridRange known_[known_ranges];
  std::atomic<unsigned> known_count_{0};
  // The workspace of cooperative groups: its size, and the barrier that all blocks share.
  alignas(16) uint32_t workspace_[16] = {};

  Mutex mutex_;
  Block* first_parked_ GUARDED_BY(mutex_) = nullptr;
  Block* last_parked_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace cuvette::exec
