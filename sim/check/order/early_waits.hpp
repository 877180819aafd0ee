// SPDX-License-Identifier: Apache-2.0
// EarlyWaits: waits of streams for events that were not recorded yet. Such a wait waits for
// nothing, and looks in the source as if it ordered the work; a report of a race says so.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"

namespace cuvette::check {

class EarlyWaits {
 public:
  static EarlyWaits& get();

  // Notes one that `place` submits to the stream; `event` is a handle.
  void note(uint64_t stream, uint64_t event, const void* place) EXCLUDES(mutex_);
  // Notes that the event is recorded in the stream, which may be what such a wait meant.
  void recorded(uint64_t event, uint64_t stream) EXCLUDES(mutex_);
  // Describes the last place of such a wait in the stream, if the event has been recorded in
  // `other` since, or not at all; else empty.
  std::string last(uint64_t stream, uint64_t other) EXCLUDES(mutex_);

 private:
  struct Wait {
    uint64_t event;
    const void* place;
  };
  static constexpr size_t most = 64;  // of each stream

  Mutex mutex_;
  std::unordered_map<uint64_t, std::vector<Wait>> waits_ GUARDED_BY(mutex_);  // by stream
  // The streams in which events of these waits were recorded last.
  std::unordered_map<uint64_t, std::optional<uint64_t>> recorded_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
