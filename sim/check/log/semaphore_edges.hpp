// SPDX-License-Identifier: Apache-2.0
// SemaphoreEdges: which signal of this process each wait for an external semaphore comes after.
//
// A timeline's wait comes after the first signal of its value or more, a binary semaphore's after
// the signal that no earlier wait has taken. What other processes signal is not known.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/external_semaphore.hpp"

namespace cuvette::check::log {

// A command, as records name it.
struct CommandName {
  uint32_t stream = 0;
  uint64_t number = 0;
};

class SemaphoreEdges {
 public:
  // A command does this to a semaphore. Calls `edge(signal, wait)` for each pair that is now known.
  template <typename Visit>
  void submitted(const device::SemaphoreAction& action, const CommandName& command,
                 const Visit& edge) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Known& known = known_[action.semaphore().id()];
    const bool is_timeline = action.semaphore().kind() == device::SemaphoreKind::timeline;
    const uint64_t value = is_timeline ? action.value() : 0;
    (action.signals() ? known.signals : known.waits).push_back({command, value});
    if (is_timeline)
      join_timeline(known, edge);
    else
      join_binary(known, edge);
  }

 private:
  struct Action {
    CommandName command;
    uint64_t value;
  };
  struct Known {
    std::deque<Action> signals, waits;  // waits that have no signal yet
  };

  template <typename Visit>
  static void join_timeline(Known& known, const Visit& edge) {
    std::erase_if(known.waits, [&](const Action& wait) {
      for (const Action& signal : known.signals) {
        if (signal.value < wait.value) continue;
        edge(signal.command, wait.command);
        return true;
      }
      return false;
    });
    // A program that signals for ever waits for what is new.
    while (known.signals.size() > most_signals) known.signals.pop_front();
  }
  template <typename Visit>
  static void join_binary(Known& known, const Visit& edge) {
    while (!known.signals.empty() && !known.waits.empty()) {
      edge(known.signals.front().command, known.waits.front().command);
      known.signals.pop_front();
      known.waits.pop_front();
    }
  }

  static constexpr size_t most_signals = 1024;
  Mutex mutex_;
  std::unordered_map<uint64_t, Known> known_ GUARDED_BY(mutex_);  // by the semaphore's number
};

}  // namespace cuvette::check::log
