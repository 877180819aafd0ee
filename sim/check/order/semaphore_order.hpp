// SPDX-License-Identifier: Apache-2.0
// SemaphoreOrder: what signals of and waits for external semaphores say about the order of work.
//
// A wait comes after the signal that ends it. Which signal that is can be determined if it was
// submitted before the wait. Otherwise the wait is open: the program has yet to submit the signal,
// or it comes from another process or API and is seen only by the end of the wait. Work after an
// open wait may come after anything, so nothing is reported against it. Once the wait is settled,
// its stream, and all that waited for it, knows what the signal knew. A signal from outside may
// come after everything signalled to the outside until then.
//
// Clocks carry open waits as one chain for each stream, which counts them.
//
// Threads: one at a time, like HappensBefore.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/check/order/clock.hpp"
#include "sim/device/stream/external_semaphore.hpp"

namespace cuvette::check {

class SemaphoreOrder {
 public:
  // The knowledge of a stream from its next command on, because one of its waits is settled.
  struct Learnt {
    uint64_t stream;
    Clock clock;
  };

  // The chain of clocks that counts the open waits of a stream; HappensBefore has the others.
  static constexpr uint64_t chain_of_open(uint64_t stream) { return 4 * stream + 1; }

  // Joins to `clock` what is known to come before command `number` of `stream`, which is a wait.
  void wait(uint64_t stream, uint64_t number, const device::SemaphoreAction& action, Clock& clock);
  // The same for value 1 of a timeline that only signal() raises.
  void wait_for(uint64_t stream, uint64_t number, uint64_t timeline, Clock& clock);
  // The part of a signal that is kept after its action is gone.
  struct Signal {
    uint64_t semaphore, value;
    bool binary;
    Clock clock;  // what comes before the signal
  };
  static Signal signal_of(const device::SemaphoreAction& action, const Clock& clock);
  std::vector<Learnt> signal(const Signal& signal);
  // Settles the waits of a command that is completed. `outside` is what others may have known when
  // they signalled.
  std::vector<Learnt> completed(uint64_t stream, uint64_t number, const Clock& outside);

  // Whether there ever was an open wait; if not, the questions below need not be asked.
  bool any() const { return !open_.empty() || !settled_.empty(); }
  // Visits the clocks that `clock` has come to know by settled waits but does not contain, until
  // `visit` returns true.
  template <typename Visit>
  bool any_settled(const Clock& clock, const Visit& visit) const {
    for (const auto& [stream, settled] : settled_)
      if (const Clock* const known = settled_for(settled, clock.of(chain_of_open(stream))))
        if (visit(*known)) return true;
    return false;
  }
  // Returns whether work with that clock follows an open wait.
  bool behind_open(const Clock& clock) const;

 private:
  struct Semaphore {
    std::map<uint64_t, Clock> reached;  // timeline: for each value, what all signals up to it knew
    Clock all;                          // binary: what all signals knew
    uint64_t untaken = 0;               // binary: signals without a wait
  };
  struct Open {
    uint64_t stream, number, semaphore, value;
    bool binary;
    std::optional<Clock> after;  // its signal's clock, if that itself follows an open wait
  };
  struct Settled {
    uint64_t number;
    Clock clock;  // this wait's, joined with those before it
  };

  static const Clock* settled_for(const std::deque<Settled>& settled, uint64_t number);
  void settle(Open wait, std::vector<Learnt>& learnt);
  // Settles waits for signals that no longer follow open waits.
  void settle_more(std::vector<Learnt>& learnt);

  std::unordered_map<uint64_t, Semaphore> semaphores_;
  std::vector<Open> open_;
  std::unordered_map<uint64_t, std::deque<Settled>> settled_;
};

}  // namespace cuvette::check
