// SPDX-License-Identifier: Apache-2.0
// HostThread: the one thread that calls a context's host functions, in the order in which they
// became ready.
//
// The thread starts with the first item and sleeps when there is none. A function that ends it
// (pthread_exit, a cancellation) counts as one that has returned: a new thread goes on.
//
// Threads: post() from any. Invariant: while there are items there is a thread, or stop() is about
// to start one.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "sim/mutex.hpp"
#include "sim/ref.hpp"

namespace cuvette::exec {

// Something for a host thread to run; lives inside whoever posts it, until it has run.
class HostItem {
 public:
  // Calls the program's function, which may end the thread.
  virtual void call_host() = 0;
  // The function is over; `returned`: as it should. The item may be gone when this returns.
  virtual void host_called(bool returned) = 0;

 protected:
  ~HostItem() = default;

 private:
  friend class HostThread;
  HostItem* next_ = nullptr;
};

class HostThread final : public Counted {
 public:
  HostThread() = default;

  // Ends the thread if there is one; what was posted by then and has been waited for has run. A
  // later post() starts a new one. On the thread itself, which lets go of its owner: it ends as
  // soon as it comes back.
  void stop() EXCLUDES(stopping_, mutex_);

  // Where the system gives no thread, the item runs in the calling one.
  void post(HostItem& item) EXCLUDES(mutex_);

 private:
  ~HostThread() override = default;

  // False: the system gives none.
  bool start() REQUIRES(mutex_);
  void serve() EXCLUDES(mutex_);
  void serve_items() EXCLUDES(mutex_);
  void thread_ends() EXCLUDES(mutex_);
  HostItem* next() EXCLUDES(mutex_);

  Mutex stopping_;  // whoever stops the thread
  Mutex mutex_;
  HostItem* first_ GUARDED_BY(mutex_) = nullptr;
  HostItem* last_ GUARDED_BY(mutex_) = nullptr;
  HostItem* called_ GUARDED_BY(mutex_) = nullptr;  // its function has ended the thread
  std::thread thread_ GUARDED_BY(mutex_);
  std::atomic<bool> ending_{false};  // changes with the lock held: nobody starts a thread meanwhile
  HostItem* calling_ = nullptr;      // the thread's
  std::atomic<uint32_t> posted_{0};  // counts posts; the thread sleeps on it
  std::atomic<bool> sleeping_{false};
  std::atomic<int64_t> posted_at_{0};  // the last time that it was found asleep
};

}  // namespace cuvette::exec
