// SPDX-License-Identifier: Apache-2.0
// StreamHints: attributes of a stream that have no effect here, because a software device has no
// second-level cache to reserve, and one memory order for all domains. They are kept so that a
// program reads back what it wrote.
//
// Threads: any. Locks: a leaf.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/mutex.hpp"

namespace cuvette::device {

// CUaccessPolicyWindow, with its numbers: which memory the second-level cache should keep.
struct AccessWindow {
  void* begin = nullptr;
  size_t bytes = 0;
  float hit_ratio = 0;
  int hit_property = 0, miss_property = 0;
};

class StreamHints {
 public:
  struct Values {
    AccessWindow window;
    // Memory synchronisation domains: the one in use, and the numbers that default and remote map
    // to.
    uint8_t default_domain = 0, remote_domain = 1;
    int domain = 0;
  };

  Values get() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return values_;
  }
  // Calls `change` with the values, which it may change.
  template <typename Change>
  void update(const Change& change) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    change(values_);
  }

 private:
  mutable Mutex mutex_;
  Values values_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
