// SPDX-License-Identifier: Apache-2.0
// HostThread: the one thread that calls a context's host functions, in the order in which they
// became ready.
//
// The thread starts with the first item and sleeps when there is none. A function that ends it
// (pthread_exit, a cancellation) counts as done, and a new thread goes on.
//
// Threads: post() from any. Invariant: while there are items there is a thread, or stop() is about
// to start one.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"

namespace cuvette::exec {

// Something for a host thread to run. It lives inside the object that posts it, until it has run.
class HostItem {
 public:
  // Calls the program's function, which may end the thread.
  virtual void call_host() = 0;
  // Called when the function is over; `returned` is false if it ended the thread. The item may be
  // gone when this returns.
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

  // Ends the thread if there is one. Items left on the list, or posted meanwhile, go to a new one,
  // as does a later post(). Called on the thread itself, it only makes the thread end as soon as
  // its function returns.
  void stop() EXCLUDES(stopping_, mutex_);

  // Adds an item. Where the system refuses a thread, the item runs in the calling one.
  void post(HostItem& item) EXCLUDES(mutex_);

 private:
  ~HostThread() override = default;

  // False if the system refuses the thread.
  bool start() REQUIRES(mutex_);
  void serve() EXCLUDES(mutex_);
  void serve_items() EXCLUDES(mutex_);
  void thread_ends() EXCLUDES(mutex_);
  HostItem* next() EXCLUDES(mutex_);

  Mutex stopping_;  // held by the thread that stops this one
  Mutex mutex_;
  HostItem* first_ GUARDED_BY(mutex_) = nullptr;
  HostItem* last_ GUARDED_BY(mutex_) = nullptr;
  HostItem* called_ GUARDED_BY(mutex_) = nullptr;  // the item that ended the thread
  std::thread thread_ GUARDED_BY(mutex_);
  // Changed with the lock held; no thread is started while it is true.
  std::atomic<bool> ending_{false};
  HostItem* calling_ = nullptr;      // the item that the thread is calling
  std::atomic<uint32_t> posted_{0};  // counts posts; the thread sleeps on it
  std::atomic<bool> sleeping_{false};
  std::atomic<int64_t> posted_at_{0};  // when a post last found the thread asleep
};

}  // namespace cuvette::exec
