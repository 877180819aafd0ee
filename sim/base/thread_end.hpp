// SPDX-License-Identifier: Apache-2.0
// ThreadEnd: functions to call when a thread ends, which give back what it keeps.
//
// The first use of a thread_local object with a destructor takes the loader's lock. A program that
// closes a library (dlclose) holds that lock while the library's destructors wait for work, so the
// first use by a worker must come earlier: workers do it when they first run something of ours.
//
// Threads: each has its own.
#pragma once

#include <cstddef>

namespace cuvette {

class ThreadEnd {
 public:
  static ThreadEnd& current() {
    static thread_local ThreadEnd own;
    return own;
  }

  // Calls `function` when this thread ends. Returns false if the list is full.
  bool add(void (*function)()) {
    if (count_ == most) return false;
    functions_[count_++] = function;
    return true;
  }

  ~ThreadEnd() {
    while (count_ > 0) functions_[--count_]();
  }
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;

 private:
  static constexpr size_t most = 8;

  ThreadEnd() = default;

  void (*functions_[most])() = {};
  size_t count_ = 0;
};

}  // namespace cuvette
