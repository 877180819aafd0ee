// SPDX-License-Identifier: Apache-2.0
// GridWatch: sees every access of a watched grid's threads, and what orders them.
//
// Threads: the one that runs the grid. Only one does, so what it sees takes place in that order.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/exec/warp_rows.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec {

class Block;
struct GridRange;

// The state that a watch keeps for a block while it runs.
class BlockWatch {
 public:
  virtual ~BlockWatch() = default;
};

// The actions of a warp's lanes.
struct WarpAccess {
  const uint64_t* addresses;  // in shared and local memory offsets, where `access` says so
  const void* values;         // what each lane writes, by plain stores; else null
  uint32_t mask, access, warp;
  uint64_t location;
  uint32_t number = 0;  // of the access, see NumberedAccess; 0: it has none
};

// Lanes of a warp come to something that orders accesses.
struct WarpOrdering {
  ptx::Ordering what;
  const uint64_t* operands;  // by lane
  uint32_t mask, warp;
  uint64_t location;
};

class GridWatch {
 public:
  // `earlier`: of a block of the grid that has ended, or null.
  virtual std::unique_ptr<BlockWatch> begins(Block& block, std::unique_ptr<BlockWatch> earlier) = 0;
  // The accesses are allowed, and have not taken place yet.
  virtual void accesses(Block& block, const WarpAccess& access) = 0;
  // The same for lanes in rows. Returns false if each of them is to be looked at by itself, in
  // accesses(). `around`: memory that may be accessed like the last row, which is in it; or
  // nothing.
  virtual bool rows(Block& block, const WarpRows& rows, const GridRange& around) = 0;
  // The same for lanes on a line, before it is known whether they are allowed. No: it is unknown,
  // or there is more to say.
  virtual ptx::Noted note_line(Block& block, const WarpLine& line) = 0;
  virtual void orders(Block& block, const WarpOrdering& ordering) = 0;
  // Lanes arrive at barrier `number`, and go on.
  virtual void arrives(Block& block, uint32_t number, uint32_t mask, uint32_t warp) = 0;
  // Threads that wait at the barrier go on: the warps in `warps`. `all`: every thread of the block
  // that has not exited was expected.
  virtual void meet(Block& block, uint32_t number, uint32_t warps, bool all) = 0;
  // A part of memory is new: what was done to it before is over.
  virtual void renewed(uint64_t address, uint64_t bytes) = 0;
  // It may not be accessed any more.
  virtual void freed(uint64_t address, uint64_t bytes) = 0;
  // The machine has written there for a thread.
  virtual void written(Block& block, uint64_t address, uint64_t bytes) = 0;

  // --- Of kernels that are followed: taint_bytes in abi.hpp ---
  // Whether nothing of what is about to be read is tainted. False: perhaps.
  virtual bool all_written(Block& block, const WarpRows& rows) = 0;
  // Whether any of `count` neighbours that are about to be read is tainted. If so, sets their
  // taints, element n of lane l being taints[32 * n + l].
  virtual bool taint_load(Block& block, const WarpAccess& access, uint32_t* taints,
                          uint32_t count) = 0;
  // They have been written. `count` 0: taints[l] bytes that are not tainted.
  virtual void taint_store(Block& block, const WarpAccess& access, const uint32_t* taints,
                           uint32_t count) = 0;
  virtual void taint_use(Block& block, ptx::TaintUse use, const uint32_t* taints,
                         const WarpAccess& by) = 0;

 protected:
  ~GridWatch() = default;
};

}  // namespace cuvette::exec
