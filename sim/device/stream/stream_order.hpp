// SPDX-License-Identifier: Apache-2.0
// StreamOrder: which commands of other streams are known to come before a stream's next command,
// because it has waited for their events.
//
// Memory pools ask it whether a free is ordered before an allocation, so it is kept from the first
// use of a pool on; before that it costs one load. Its knowledge is true but incomplete: it leaves
// out what the legacy stream and graphs order, and old waits.
//
// Threads: any. Invariant: a command that is submitted after known() returned comes after
// every command that the answer names.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"

namespace cuvette::device {

// For some streams, by id: the number of their last command that is known to come before.
class Known final : public Counted {
 public:
  // 0: nothing is known about that stream.
  uint64_t last_of(uint64_t stream) const;
  // Joins both and command `number` of `stream`. Either may be null.
  static Ref<const Known> merged(const Known* one, const Known* other, uint64_t stream,
                                 uint64_t number);

 private:
  // How many streams are remembered: those created last.
  static constexpr size_t most = 256;
  std::vector<std::pair<uint64_t, uint64_t>> last_;  // sorted by stream
};

class StreamOrder {
 public:
  // Whether a pool has asked for it; never turned off again.
  static bool kept() { return kept_.load(std::memory_order_relaxed); }
  static void keep() { kept_.store(true, std::memory_order_relaxed); }

  Ref<const Known> known() const EXCLUDES(mutex_) {
    // Most streams never wait for another.
    if (!learned_.load(std::memory_order_acquire)) return nullptr;
    MutexLock lock(mutex_);
    return known_;
  }
  // Records that the stream has a new command that waits for command `number` of `stream`, and so
  // for what was known there. Call it when that command is submitted.
  void learn(const Known* theirs, uint64_t stream, uint64_t number) EXCLUDES(mutex_);

 private:
  static std::atomic<bool> kept_;
  mutable Mutex mutex_;
  Ref<const Known> known_ GUARDED_BY(mutex_);
  std::atomic<bool> learned_{false};  // known_ is not null
};

}  // namespace cuvette::device
