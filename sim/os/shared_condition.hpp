// SPDX-License-Identifier: Apache-2.0
// SharedCondition: a mutex and a condition variable of the C library that another program has put
// into memory which processes share.
//
// The memory is not trusted: nothing but a plain process-shared mutex is touched, and every wait
// has a time limit, because the holder of the mutex may have died.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace cuvette::os {

class SharedCondition {
 public:
  // Their sizes in memory.
  static constexpr unsigned mutex_size = 40, condition_size = 48;

  // Both lie in memory that outlives this object, aligned to 8 bytes.
  SharedCondition(void* mutex, void* condition) : mutex_(mutex), condition_(condition) {}

  // Returns whether a plain process-shared mutex seems to be there.
  bool sound() const;

  // Locks the mutex. Returns false if it is held, or it is not sound.
  bool try_lock();
  // Like try_lock(), but waits for at most `nanoseconds`.
  bool lock_within(int64_t nanoseconds);
  void unlock();
  // Wakes everybody who waits for the condition. Called with the mutex locked.
  void notify_all();

 private:
  void* const mutex_;
  void* const condition_;
};

}  // namespace cuvette::os
