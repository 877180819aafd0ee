// SPDX-License-Identifier: Apache-2.0
// SharedCondition: a mutex and a condition variable of the C library that another program has put
// into memory which processes share.
//
// What is there is not trusted: a mutex of another kind than a plain one that processes share is
// not touched. Nobody is waited for without a limit: who holds the mutex may have died.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace cuvette::os {

class SharedCondition {
 public:
  // Their sizes in memory.
  static constexpr unsigned mutex_size = 40, condition_size = 48;

  // Where they lie, in memory that lives on; both aligned to 8 bytes.
  SharedCondition(void* mutex, void* condition) : mutex_(mutex), condition_(condition) {}

  // A plain mutex that processes share lies there, as far as one can tell.
  bool sound() const;

  // False: somebody else holds it, or it is not sound.
  bool try_lock();
  // The same, after at most `nanoseconds`.
  bool lock_within(int64_t nanoseconds);
  void unlock();
  // Whoever waits for the condition looks again. With the mutex locked.
  void notify_all();

 private:
  void* const mutex_;
  void* const condition_;
};

}  // namespace cuvette::os
