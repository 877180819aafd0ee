// SPDX-License-Identifier: Apache-2.0
// PrintBuffer: what kernels of a context have printed, until the next launch or wait of the program
// writes it out.
//
// Threads: any; flush() by a thread of the program that holds none of our locks. Invariant: what is
// kept is at most the limit (CU_LIMIT_PRINTF_FIFO_SIZE) long: "older output is overwritten". The
// loss is reported when the rest is written.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/misuse.hpp"

namespace cuvette::device {

class PrintBuffer {
 public:
  // The launch of the kernel that prints.
  struct Printer {
    std::string_view kernel;
    uint64_t stream, number;
    const void* call_site;
  };
  void add(std::string text, size_t limit, const Printer& by) EXCLUDES(mutex_);
  // Writes it to the program's standard output, in order.
  void flush() EXCLUDES(mutex_, writing_) {
    if (any_.load(std::memory_order_acquire)) [[unlikely]]
      write();
  }

 private:
  void write() EXCLUDES(mutex_, writing_);

  std::atomic<bool> any_{false};
  Mutex writing_;  // before mutex_
  Mutex mutex_;
  std::deque<std::string> texts_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  misuse::PrintOverflow lost_ GUARDED_BY(mutex_);
  const void* lost_at_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace cuvette::device
