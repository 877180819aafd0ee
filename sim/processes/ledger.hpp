// SPDX-License-Identifier: Apache-2.0
// Ledger: what all processes together have of one device's memory (CUVETTE_SHARED_MEMORY=1).
//
// Each process writes its own claim alone, so nothing has to be locked, and a process that dies in
// the middle leaves a claim that others remove. Who wants bytes first says so in `wanted` and then
// adds up all claims: of two who want the last bytes, one at least sees the other. If both do, the
// one with the higher seat steps back for a moment; a refusal is final only if what others have
// leaves no room.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace cuvette::processes {

namespace layout {
struct Claim;
}

class Ledger {
 public:
  // Clears those of these seats that dead processes had.
  using Sweep = std::function<void(const std::vector<unsigned>& seats)>;

  // `claims` has one claim for each seat, and the one of `seat` is this process's.
  Ledger(layout::Claim* claims, unsigned seat, const std::array<uint8_t, 16>& uuid, Sweep sweep);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Adds to what this process has. False, and nothing is added, if all processes would have more
  // than `capacity`.
  bool claim(size_t bytes, size_t capacity);
  void give_back(size_t bytes);
  // Returns what all living processes have, without what this one's contexts take.
  uint64_t used();
  // Notes what this process's contexts take.
  void set_contexts(size_t bytes);

 private:
  struct Sum {
    uint64_t used, wanted;
  };
  Sum sum() const;
  void sweep_others();
  bool try_claim(size_t bytes, size_t capacity);
  // The same without protection from a file that has lost its pages.
  bool claim_in_file(size_t bytes, size_t capacity);

  layout::Claim* const claims_;
  const unsigned seat_;
  const uint64_t device_;
  const Sweep sweep_;
  // The file was made shorter: this process is alone from now on.
  std::atomic<bool> lost_{false};
};

}  // namespace cuvette::processes
