// SPDX-License-Identifier: Apache-2.0
// FoundRaces: the races of a launch, one for each pair of instructions.
//
// A plain read does not race with atomic operations if its thread goes on with atom.cas there: what
// it has read is compared again. Whether it does shows later, so such a race waits until the end.
//
// Threads: the one that runs the grid; afterwards any.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "sim/check/kernel/accessor.hpp"

namespace cuvette::watch {

// Two threads of the launch that race.
struct ThreadRace {
  Accessor earlier{}, later{};  // as it happened to run
  uint64_t address = 0;         // where they meet; or the offset in shared memory
  uint64_t begin = 0;           // of the later one, likewise
  uint32_t bytes = 0;           // of the later one
  bool shared = false;
  bool under_way = false;  // the earlier one is a copy that has not been waited for
};

class FoundRaces {
 public:
  // The numbers of two instructions. Returns true if a race of theirs is to be added: it is the
  // first one, and there are not too many.
  bool admit(uint16_t one, uint16_t other, bool shared);
  // `read`: the number of the plain read that meets an atomic operation; 0: it is something else.
  void add(const ThreadRace& race, uint16_t read) { races_.push_back({race, read}); }
  // A thread has compared and swapped what it had read by this instruction.
  void note_compared(uint16_t read);

  std::vector<ThreadRace> all() const;

 private:
  struct Found {
    ThreadRace race;
    uint16_t read;
  };
  std::vector<Found> races_;
  std::vector<bool> compared_;  // reads, by number
  std::set<std::tuple<uint16_t, uint16_t, bool>> known_;
};

}  // namespace cuvette::watch
