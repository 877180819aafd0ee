// SPDX-License-Identifier: Apache-2.0
// GridCounts: what the threads of a grid count while it runs (ptx::Counter), and which addresses
// their atomic operations go to.
//
// Each thread of the machine that runs blocks of the grid has counters of its own, so counting
// takes no lock; they are added up when the grid has ended.
//
// Threads: of_this_thread() by any; the rest by one, after the grid has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::exec {

// How often each address was reached, as long as there are few; of many, the most frequent. And how
// often the memory came to a sector for that.
class AddressCounts {
 public:
  void add(uint64_t address, uint64_t times = 1);
  void add(const AddressCounts& other);

  struct Hottest {
    uint64_t address = 0, times = 0;
    bool at_least = false;  // `times` may be more
  };
  // The one that was reached most often, the lowest of several.
  Hottest hottest() const;
  uint64_t all() const { return all_; }  // times, of all addresses

  void add_sector_visits(uint64_t times) { sector_visits_ += times; }
  uint64_t sector_visits() const { return sector_visits_; }

 private:
  // `times` 0: free.
  struct Entry {
    uint64_t address = 0, times = 0;
  };
  static constexpr size_t most = 8192, least_places = 64;  // powers of two
  void add_times(uint64_t address, uint64_t times);
  Entry& place_of(uint64_t address);
  void move_to(size_t places, uint64_t limit);
  void forget_some();

  std::vector<Entry> table_;  // at most half of it is used
  size_t count_ = 0;
  uint64_t all_ = 0, most_forgotten_ = 0, sector_visits_ = 0;
};

// Adds what was counted at the same place.
void add_counter(ptx::Counter& to, const ptx::Counter& from);
// The counter of an access, with what compiled code has counted by itself among the others.
ptx::Counter settled(const ptx::Counter& counter, const ptx::CountedPlace& place);

// The counts of one thread of the machine, or of all.
struct Counts {
  std::vector<ptx::Counter> counters;
  std::unordered_map<uint32_t, AddressCounts> atomics;  // by the number of the counter
  void add(const Counts& other);
};

// An address in an AddressCounts: offsets in shared memory are told from addresses by this bit.
constexpr uint64_t shared_address = uint64_t{1} << 63;

class GridCounts {
 public:
  // `counters`: how many the kernel has.
  explicit GridCounts(size_t counters);

  // The calling thread's; it stays where it is.
  Counts& of_this_thread() EXCLUDES(mutex_);
  // Of all threads.
  Counts sum() EXCLUDES(mutex_);

 private:
  const size_t counters_;
  const uint64_t number_;  // unlike all others' of the process
  Mutex mutex_;
  std::vector<std::unique_ptr<Counts>> all_ GUARDED_BY(mutex_);
};

// Counts an access of lanes of a block's warp; `access` as for the helper. The offsets of `shared`
// lanes lie in shared memory.
struct BlockMemory {
  uint64_t shared, shared_bytes, local, local_bytes;  // generic addresses that lead to the block's
};
void count_access(ptx::Counter& counter, Counts& counts, uint32_t number, const BlockMemory& block,
                  const uint64_t* addresses, uint32_t mask, uint32_t access);

}  // namespace cuvette::exec
