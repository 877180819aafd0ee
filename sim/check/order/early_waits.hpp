// SPDX-License-Identifier: Apache-2.0
// EarlyWaits: waits of streams for events that were not recorded yet. Such a wait waits for
// nothing, and looks in the source as if it ordered the work; a report of a race says so.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sim/base/mutex.hpp"

namespace cuvette::check {

class EarlyWaits {
 public:
  static EarlyWaits& get();

  // Notes one that `place` submits to the stream.
  void note(uint64_t stream, const void* place) EXCLUDES(mutex_);
  // Describes the last place of such a wait in the stream; empty if there was none.
  std::string last(uint64_t stream) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::unordered_map<uint64_t, const void*> places_ GUARDED_BY(mutex_);  // by stream
};

}  // namespace cuvette::check
