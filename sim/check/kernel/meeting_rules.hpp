// SPDX-License-Identifier: Apache-2.0
// MeetingRules: whether the threads of a block keep the rules of what they meet at: barriers of the
// block, barriers of the warp, and instructions that exchange registers.
//
// - All lanes of a warp come to an aligned barrier together, and every thread of the block to a
//   barrier that expects all. A thread that has ended does not.
// - A barrier's number of threads is a multiple of the warp's size, no larger than the block, and
//   the same for all that meet there.
// - A lane that names members is one of them. Members that have not ended come to the same
//   exchange of registers together; to a barrier of the warp they may come by other instructions.
// - A shuffle takes the values of members that are there.
// - A barrier in shared memory lives as long as it is waited for (SharedBarriers).
//
// Whether a lane has ended shows only later: one that was absent, and then does something else, had
// not. One that does nothing more is not reported.
//
// Threads: the one that runs the grid.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/check/kernel/mark.hpp"
#include "sim/check/kernel/shared_barriers.hpp"
#include "sim/exec/grid_watch.hpp"

namespace cuvette::watch {

struct MeetingMistake {
  enum class Kind : uint8_t {
    part_of_warp,    // some lanes of a warp do not come to a barrier
    part_of_block,   // some warps have ended before it
    part_of_a_warp,  // its number of threads is not a multiple of the warp's size
    too_many,        // its number of threads is larger than the block
    other_count,     // its number of threads is not what others wait for
    no_member,       // a lane names members, and is none of them
    absent_member,   // a member does something else
    foreign_source,  // a lane takes the value of another that its mask does not name
    absent_source,   // or that has ended, or never was
    begun_again,     // a barrier in shared memory is initialised under a thread that waits for it
    ended_early,     // or invalidated
  };
  Kind kind;
  uint64_t block = 0;
  uint32_t thread = 0;    // one that breaks the rule, or that others wait for in vain
  uint64_t location = 0;  // of the instruction where the others are
  uint32_t number = 0;    // of the barrier
  uint32_t threads = 0;   // that it expects, 0: all
  uint32_t others = 0;    // that the waiting threads expect
  uint32_t named = 0;     // lanes
  uint32_t there = 0;     // lanes
  uint32_t source = 0;    // the thread whose value is taken
  uint64_t place = 0;     // of a barrier in shared memory
  uint64_t waits_at = 0;  // the instruction that waits for it

  bool is_of_shared_barrier() const {
    return kind == Kind::begun_again || kind == Kind::ended_early;
  }
  // Returns what was done to it.
  const char* change() const { return kind == Kind::begun_again ? "initialised" : "invalidated"; }
};

// The mistakes of a launch: each once for an instruction.
class MeetingMistakes {
 public:
  void add(const MeetingMistake& mistake);
  const std::vector<MeetingMistake>& all() const { return all_; }

 private:
  std::vector<MeetingMistake> all_;
  std::set<std::pair<MeetingMistake::Kind, uint64_t>> known_;
};

class MeetingRules {
 public:
  // `mistakes` outlives it.
  MeetingRules(uint32_t threads, MeetingMistakes& mistakes);
  ~MeetingRules() { end(); }
  MeetingRules(const MeetingRules&) = delete;
  MeetingRules& operator=(const MeetingRules&) = delete;

  // The block before has ended, and another one begins.
  void begin(uint64_t block);

  void orders(const exec::WarpOrdering& ordering, const ptx::BlockContext& context);
  // Threads that wait at a barrier go on: the warps in `warps`. `all`: it expected every thread.
  void meet(uint32_t number, uint32_t warps, bool all);
  // Lanes do something else.
  void seen(uint32_t warp, uint32_t mask) {
    if (!absent_.empty()) [[unlikely]]
      are_alive(warp, mask, false);
  }

 private:
  // Members that were not there when others came.
  struct Absent {
    uint32_t warp, named, there, missing;
    uint32_t alive = 0;  // the threads of `missing` that have done something since
    uint64_t location = 0;
    bool exchange = false;            // of registers
    uint32_t reader = 0, source = 0;  // lanes; the reader takes the value of one that is missing
    bool reads = false;
  };
  struct Barrier {
    uint64_t location = 0;
    uint32_t threads = 0;
    bool waited_for = false, passed = false;  // by bar.arrive
  };

  uint32_t lanes_of(uint32_t warp) const { return watch::lanes_of(warp, threads_); }
  void barrier(const exec::WarpOrdering& ordering);
  void members(const exec::WarpOrdering& ordering, bool exchange);
  void find_foreign_sources(const exec::WarpOrdering& ordering, uint32_t group, uint32_t named);
  static void find_absent_source(const exec::WarpOrdering& ordering, Absent& absent);
  bool is_known(const Absent& absent) const;
  void report_source(const Absent& absent);
  void shared_barrier(const exec::WarpOrdering& ordering, const SharedBarriers::Mistake& shared);
  bool come_late(uint32_t warp, uint32_t named, uint32_t lanes);
  void are_alive(uint32_t warp, uint32_t mask, bool at_barrier);
  void report(const Absent& absent, uint32_t lanes);
  void end();
  MeetingMistake mistake(MeetingMistake::Kind kind, uint32_t warp, uint32_t lanes,
                         uint64_t location) const;

  uint64_t block_ = 0;
  const uint32_t threads_, warps_;
  MeetingMistakes& mistakes_;
  std::vector<Barrier> barriers_;  // by number; empty until it is needed
  std::vector<Absent> absent_;
  SharedBarriers shared_barriers_;
};

}  // namespace cuvette::watch
