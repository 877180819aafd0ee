// SPDX-License-Identifier: Apache-2.0
// ThreadOrder: which accesses come before what a thread of a block does next, by the PTX memory
// model: program order, barriers of the block and of warps, and releases that were acquired.
//
// Only what the program says counts, not the order that its threads happened to run in. Most
// knowledge comes from barriers of whole blocks and whole warps, and is one time for all of them;
// the rest is Knowledge, by thread.
//
// In case of doubt it says "ordered":
// - A barrier of the block also ends what its threads have seen of flags without a fence, as the
//   last block of a reduction sees the counter.
// - Reads come before the writes of a thread that learns that they have taken place, even without a
// fence:
//   by an exchange of registers in a warp, or by a relaxed flag. No GPU delays a read so long.
// - What a lane has acquired, those know that it exchanges registers with: cooperative groups rely
//   on it.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/check/kernel/knowledge.hpp"

namespace cuvette::watch {

using Pointer = Knowledge::Pointer;

// The knowledge that is released at a place in memory, and its thread.
struct Released {
  Pointer knowledge;
  uint32_t block = 0;
  bool wide = false;  // to other blocks, too
  explicit operator bool() const { return static_cast<bool>(knowledge); }
};

class ThreadOrder {
 public:
  explicit ThreadOrder(uint32_t threads, uint32_t block = 0)
      : block_(block), threads_(threads), warps_((threads + 31) / 32), exchanges_(warps_.size()) {}

  // Another block begins.
  void begin(uint32_t block);

  uint32_t now() const { return now_; }
  uint32_t block() const { return block_; }
  uint32_t threads() const { return threads_; }
  uint32_t lanes_of(uint32_t warp) const { return watch::lanes_of(warp, threads_); }

  // The time of the last barrier of the whole block.
  uint32_t barrier() const { return barrier_; }
  // Whether the access comes before what the thread does next.
  bool comes_before(const Mark& mark, uint32_t thread) const {
    if (mark.is(Mark::async)) return false;
    if (mark.block == block_) {
      if (mark.thread() == thread || mark.time <= barrier_) return true;
      const uint32_t warp = thread / ptx::warp_size;
      if (mark.warp() == warp && mark.time <= warps_[warp]) return true;
    }
    return !rare_.empty() && rare_[thread].known.all && rare_[thread].known.all->knows(mark);
  }
  bool is_since_barrier(const Mark& mark) const {
    return mark.block == block_ && mark.time > barrier_;
  }
  // Whether all threads of the block come after the access, by a barrier.
  bool comes_before_block(const Mark& mark) const {
    return mark.block == block_ && mark.time <= barrier_;
  }
  // Whether the same is known at once for all threads of the warp; false: perhaps for each of them.
  bool comes_before_warp(const Mark& mark, uint32_t warp) const {
    return mark.block == block_ &&
           (mark.time <= barrier_ || (mark.warp() == warp && mark.time <= warps_[warp]));
  }
  bool read_comes_before_warp(const Mark& mark, uint32_t warp) const {
    return comes_before_warp(mark, warp) ||
           (mark.block == block_ && mark.warp() == warp && mark.time <= exchanges_[warp]);
  }
  // The same for a read, before what the thread writes next.
  bool read_comes_before(const Mark& mark, uint32_t thread) const {
    if (comes_before(mark, thread)) return true;
    const uint32_t warp = thread / ptx::warp_size;
    if (mark.block == block_ && mark.warp() == warp && mark.time <= exchanges_[warp]) return true;
    return !rare_.empty() && rare_[thread].known.reads && rare_[thread].known.reads->knows(mark);
  }

  // --- What orders. A mask names lanes of the warp. ---
  void sync_warp(uint32_t warp, uint32_t mask);
  void exchange(uint32_t warp, uint32_t mask);  // registers
  void fence(uint32_t warp, uint32_t mask, ptx::Scope scope);
  void arrive(uint32_t barrier, uint32_t warp, uint32_t mask);
  // The lanes that wait at the barrier, by warp, meet there.
  struct Waiting {
    uint32_t warp, mask;
  };
  void meet(uint32_t barrier, const std::vector<Waiting>& waiting, bool all);

  // Returns what a strong write of the thread releases, which its latest fence decides.
  Released released_by_fence(uint32_t thread) const;
  // Returns what a release of the thread hands on now.
  Released release(uint32_t thread, bool wide);
  // Returns the threads whose reads are over once a relaxed write of the thread is seen, and lets a
  // thread see it.
  Pointer reads_until_now(uint32_t thread);
  void sees_reads(uint32_t thread, const Pointer& reads);
  // A strong read of the thread sees it: it counts from its next fence on, or at once.
  void sees(uint32_t thread, const Released& released, bool acquires, bool wide);

 private:
  struct Fence {
    uint32_t time = 0, barrier = 0, warp = 0;
    bool wide = false;
    Pointer more;
  };
  // The accesses that a thread comes after; and the threads whose reads are over, which are more.
  struct Known {
    Pointer all, reads;
    explicit operator bool() const { return all || reads; }
    void join(const Known& other);
  };
  struct Rare {
    Known known;
    Fence fence;
    // Seen by strong reads: what the block's own threads have released, and others'.
    Pointer seen_of_block, seen_of_others;
  };
  std::vector<Rare>& rare();
  // The knowledge that a fence of the thread would keep now.
  Fence fence_now(uint32_t thread, bool wide) const;
  Pointer knowledge_of(uint32_t thread, const Fence& fence) const;
  Known joined(uint32_t warp, uint32_t mask) const;  // what these lanes know beyond barriers
  void tell(uint32_t warp, uint32_t mask, const Known& known);

  uint32_t block_;
  const uint32_t threads_;
  uint32_t now_ = 1;
  uint32_t barrier_ = 0;
  std::vector<uint32_t> warps_;      // of the last one of each whole warp
  std::vector<uint32_t> exchanges_;  // of the last exchange of registers of each whole warp
  std::vector<Rare> rare_;           // by thread; empty until it is needed
  // At each barrier, by threads that went on; empty until it is needed.
  std::vector<Pointer> released_;
};

}  // namespace cuvette::watch
