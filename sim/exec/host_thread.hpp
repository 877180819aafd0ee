// SPDX-License-Identifier: Apache-2.0
// HostThread: the one thread that calls a context's host functions, in the order in which they
// became ready.
//
// The thread starts with the first item and sleeps when there is none.
// Threads: post() from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "sim/mutex.hpp"

namespace cuvette::exec {

// Something for a host thread to run; lives inside whoever posts it, until it has run.
class HostItem {
 public:
  virtual void run_on_host_thread() = 0;

 protected:
  ~HostItem() = default;

 private:
  friend class HostThread;
  HostItem* next_ = nullptr;
};

class HostThread {
 public:
  HostThread() = default;
  ~HostThread() { stop(); }

  // Ends the thread if there is one; everything posted has run by then, its owner has waited for
  // that. A later post() starts a new one. Not on the thread itself.
  void stop() EXCLUDES(mutex_);

  // Where the system gives no thread, the item runs in the calling one.
  void post(HostItem& item) EXCLUDES(mutex_);

 private:
  void serve();
  static void run(HostItem& item);
  HostItem* next() EXCLUDES(mutex_);

  Mutex mutex_;
  HostItem* first_ GUARDED_BY(mutex_) = nullptr;
  HostItem* last_ GUARDED_BY(mutex_) = nullptr;
  std::atomic<uint32_t> posted_{0};  // counts posts; the thread sleeps on it
  std::atomic<bool> sleeping_{false};
  std::atomic<bool> ending_{false};
  std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::exec
