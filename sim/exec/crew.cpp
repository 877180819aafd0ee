// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/crew.hpp"

#include <thread>

#include "sim/base/thread_end.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/process.hpp"
#include "sim/os/threads.hpp"

namespace cuvette::exec {

bool Crew::call() {
  {
    MutexLock lock(mutex_);
    if (calls_ >= idle_) {
      if (threads_ < most_) {
        std::thread thread = os::start_thread(name_, [this] { serve(); });
        if (thread.joinable()) {
          thread.detach();
          ++threads_;
          return true;
        }
      }
      if (threads_ == 0) return false;
      ++calls_;
      return true;
    }
    ++calls_;
    called_at_ = os::now_ns();
  }
  called_.fetch_add(1, std::memory_order_release);
  os::wake_one(called_);
  return true;
}

void Crew::wait_for_call() {
  bool waits = false;
  int64_t since = 0;
  for (;;) {
    uint32_t seen;
    {
      MutexLock lock(mutex_);
      if (calls_ > 0) {
        --calls_;
        if (!waits) return;
        --idle_;
        since = called_at_;
        break;
      }
      if (!waits) ++idle_;
      // Read under the lock: whoever makes a call after this adds to it.
      seen = called_.load(std::memory_order_relaxed);
    }
    waits = true;
    os::sleep_while(called_, seen);
  }
  Crowd::waited(since, os::now_ns());
}

void Crew::serve() {
  os::wake_on_time();
  // Made now, because later a thread that closes a library may hold the loader's lock and wait for
  // us.
  (void)ThreadEnd::current();
  for (;;) {
    run_();
    wait_for_call();
  }
}

}  // namespace cuvette::exec
