// SPDX-License-Identifier: Apache-2.0
// Mutex and MutexLock: std::mutex with annotations that clang's -Wthread-safety checks.
#pragma once

#include <mutex>

#if defined(__clang__)
#define CUVETTE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define CUVETTE_THREAD_ATTRIBUTE(x)
#endif
#define CAPABILITY(x) CUVETTE_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY CUVETTE_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) CUVETTE_THREAD_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) CUVETTE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) CUVETTE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) CUVETTE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define EXCLUDES(...) CUVETTE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

namespace cuvette {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace cuvette
