// SPDX-License-Identifier: Apache-2.0
// SemaphoreOrder: what signals and waits of external semaphores say about the order of work.
//
// A wait comes after the signal that ends it. Which one that is can be told where the signal was
// submitted before the wait. Else the wait is open: the signal is one that the program has yet to
// submit, or one of another process or API, of which nothing is heard but that the wait is over.
// What is behind an open wait may come after anything, so nothing is said against it; once the wait
// is settled, its stream, and whatever waited for that, knows what the signal knew. A signal from
// outside may come after everything that was signalled to the outside until then.
//
// Clocks carry open waits along: for each stream a chain of their numbers.
//
// Threads: one at a time, as HappensBefore.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/check/clock.hpp"
#include "sim/device/external_semaphore.hpp"

namespace cuvette::check {

class SemaphoreOrder {
 public:
  // What a stream knows from its next command on, since a wait of it is settled.
  struct Learnt {
    uint64_t stream;
    Clock clock;
  };

  // Command `number` of `stream` waits: what is known to come before it is joined to `clock`.
  void wait(uint64_t stream, uint64_t number, const device::SemaphoreAction& action, Clock& clock);
  // What a signal is of, when its action may be gone.
  struct Signal {
    uint64_t semaphore, value;
    bool binary;
    Clock clock;  // it comes after all that this knows
  };
  static Signal signal_of(const device::SemaphoreAction& action, const Clock& clock);
  std::vector<Learnt> signal(const Signal& signal);
  // The waits of a command are over; `outside`: what others may have known when they signalled.
  std::vector<Learnt> completed(uint64_t stream, uint64_t number, const Clock& outside);

  // Whether there ever was an open wait: else what follows need not be asked.
  bool any() const { return !open_.empty() || !settled_.empty(); }
  // Clocks that make up what `clock` has come to know by settled waits, but does not contain.
  template <typename Visit>
  bool any_settled(const Clock& clock, const Visit& visit) const {
    for (const auto& [stream, settled] : settled_)
      if (const Clock* const known = settled_for(settled, clock.of(chain_of_open(stream))))
        if (visit(*known)) return true;
    return false;
  }
  // Whether somebody with that clock is behind an open wait.
  bool behind_open(const Clock& clock) const;

 private:
  struct Semaphore {
    std::map<uint64_t, Clock> reached;  // timeline: by value, what all signals up to it knew
    Clock all;                          // binary: the same of all signals
    uint64_t untaken = 0;               // binary: signals without a wait
  };
  struct Open {
    uint64_t stream, number, semaphore, value;
    bool binary;
    std::optional<Clock> after;  // of its signal, which is itself behind an open wait
  };
  struct Settled {
    uint64_t number;
    Clock clock;  // of this wait and those before it
  };

  static uint64_t chain_of_open(uint64_t stream) { return 2 * stream + 1; }
  static const Clock* settled_for(const std::deque<Settled>& settled, uint64_t number);
  void settle(Open wait, std::vector<Learnt>& learnt);
  // Settles those that were behind open waits and are not any more.
  void settle_more(std::vector<Learnt>& learnt);

  std::unordered_map<uint64_t, Semaphore> semaphores_;
  std::vector<Open> open_;
  std::unordered_map<uint64_t, std::deque<Settled>> settled_;
};

}  // namespace cuvette::check
