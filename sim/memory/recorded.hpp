// SPDX-License-Identifier: Apache-2.0
// What the record of this process has of memory (sim/record): allocations and windows, from when
// they can be found to when they cannot, and the segments that windows show.
//
// Threads: any.
#pragma once

#include "sim/memory/allocation.hpp"
#include "sim/os/segment.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::memory {

namespace detail {
void record_begin(const Allocation& allocation);
void record_freed(const Allocation& allocation);
void record_gone(const Allocation& allocation);
}  // namespace detail

// The allocation can be found from now on.
inline void record_begin(const Allocation& allocation) {
  if (record::recorder()) [[unlikely]]
    detail::record_begin(allocation);
}
// A call frees it. In the order of a stream, the memory stays until a command that the call submits
// has run.
inline void record_freed(const Allocation& allocation) {
  if (allocation.recorded.load(std::memory_order_acquire)) [[unlikely]]
    detail::record_freed(allocation);
}
// It is gone from now on; nothing happens if it was already.
inline void record_gone(const Allocation& allocation) {
  if (allocation.recorded.load(std::memory_order_acquire)) [[unlikely]]
    detail::record_gone(allocation);
}
// Both at once.
inline void record_end(const Allocation& allocation) {
  record_freed(allocation);
  record_gone(allocation);
}

// While one lives, the segment is there, with a window or without: it was imported.
class RecordedSegment {
 public:
  explicit RecordedSegment(const os::Segment& segment);
  ~RecordedSegment();
  RecordedSegment(const RecordedSegment&) = delete;
  RecordedSegment& operator=(const RecordedSegment&) = delete;

 private:
  os::Segment::Identity identity_{};
  bool is_recorded_ = false;
};

}  // namespace cuvette::memory
