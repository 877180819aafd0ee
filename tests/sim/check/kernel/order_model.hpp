// SPDX-License-Identifier: Apache-2.0
// OrderModel: which accesses come before what a thread does next, by clocks of every thread for
// every thread. It is what tests compare KernelWatch with, and knows nothing of how that works.
//
// There are rules that the documentation leaves open (thread_order.hpp: "in case of doubt it says
// ordered"). So there are two models. What the strict one orders must never be reported as a race;
// what not even the generous one orders must be. They differ in this:
//   - A flag that is accessed in different sizes, or written in part, orders nothing; or it does.
//   - A release that other blocks have added to by atomics is another block's; or it is the
//   block's.
//   - A relaxed read with a scope too narrow sees nothing; or it does.
//   - An exchange of registers among some lanes of a warp, or an atomic operation, says nothing of
//   reads; or it does. What an exchange says of them is not handed on; or it is, at barriers.
//   - Threads that have exited come before a barrier of their block only where nobody arrives
//     without waiting; or always.
//   - A thread that syncs with itself learns nothing that an exchange of registers could hand on;
//   or its own accesses.
//   - cp.async.wait_group 0 waits for groups; or for all copies.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::watch::test {

// How many accesses of each thread of the grid come before something.
class Clock {
 public:
  uint32_t of(uint32_t thread) const { return times_ ? (*times_)[thread] : 0; }
  void join(const Clock& other);
  void raise(uint32_t thread, uint32_t time, uint32_t threads);

 private:
  using Times = std::vector<uint32_t>;
  Times& own();
  std::shared_ptr<Times> times_;  // shared until it changes: after a barrier many know the same
};

// Some bytes of a space: 0 is global memory, 1 + n shared memory of block n.
struct Site {
  uint32_t space;
  uint64_t address;
  auto operator<=>(const Site&) const = default;
};

class OrderModel {
 public:
  using Threads =
      std::vector<uint32_t>;  // numbers in the grid: block * threads of a block + thread

  OrderModel(uint32_t blocks, uint32_t threads, bool generous)
      : generous_(generous), threads_(threads), all_(size_t{blocks} * threads), meetings_(blocks) {}

  // The thread accesses memory. Returns how often it has by now.
  uint32_t act(uint32_t thread) { return ++all_[thread].count; }
  // Whether access `time` of `earlier` comes before what `later` does next; `read`: it is a read,
  // and `later` writes.
  bool before(uint32_t earlier, uint32_t time, uint32_t later, bool read) const;
  const Clock& known(uint32_t thread) const { return all_[thread].known; }
  // How often all threads of the thread's block have met.
  uint32_t meetings(uint32_t thread) const { return meetings_[block_of(thread)]; }

  void sync(const Threads& members);
  void exchange(const Threads& members, bool whole_warp);
  void fence(uint32_t thread, bool wide);
  void arrive(uint32_t barrier, uint32_t thread);
  // `block`: all its threads are expected, which have not exited.
  void meet(uint32_t barrier, const Threads& members, bool all);
  // A strong access as `access` says, of abi.hpp.
  void strong(uint32_t thread, Site site, uint32_t access);
  void weak_write(Site site, uint32_t bytes);
  void renew(Site site, uint64_t bytes);  // that part of memory is new
  // At a barrier in shared memory.
  void arrive_at(uint32_t thread, Site site);
  void wait_at(uint32_t thread, Site site);

 private:
  struct Thread {
    uint32_t count = 0;
    Clock known;
    Clock reads;      // that are over
    Clock exchanged;  // the same, by an exchange of registers
    Clock fenced;     // what the latest fence keeps
    bool has_fence = false, fence_is_wide = false;
    Clock seen_of_block, seen_of_others;  // by relaxed reads since
  };
  struct Release {
    Clock what;
    uint32_t block;
    bool wide;
  };
  struct Flag {
    uint32_t bytes = 0;
    std::vector<Release> releases;
    Clock reads;
  };
  Clock now(uint32_t thread) const;
  uint32_t block_of(uint32_t thread) const { return thread / threads_; }
  void see(uint32_t thread, const Flag& flag, uint32_t access);
  void forget_beside(Site site, uint32_t bytes);
  void release(Flag& flag, const Release& release);

  const bool generous_;
  const uint32_t threads_;
  std::vector<Thread> all_;
  std::vector<uint32_t> meetings_;  // by block
  std::map<Site, Flag> flags_, barriers_;
  struct Arrived {
    bool any = false;
    Clock what;
  };
  std::map<std::pair<uint32_t, uint32_t>, Arrived> arrived_;  // by block and number
};

}  // namespace cuvette::watch::test
