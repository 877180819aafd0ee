// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/host_thread.hpp"

#include <utility>

#include "sim/exec/pause.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/workers.hpp"
#include "sim/os/process.hpp"

namespace cuvette::exec {

void HostThread::stop() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    thread = std::move(thread_);
  }
  if (!thread.joinable()) return;
  ending_.store(true, std::memory_order_release);
  posted_.fetch_add(1, std::memory_order_release);
  posted_.notify_one();
  thread.join();
  ending_.store(false, std::memory_order_relaxed);
}

void HostThread::post(HostItem& item) {
  if (Scheduler* const scheduler = Scheduler::get()) scheduler->host_item_posted();
  bool has_thread;
  {
    MutexLock lock(mutex_);
    if (!thread_.joinable()) thread_ = os::start_thread("cuvette-host", [this] { serve(); });
    has_thread = thread_.joinable();
    if (has_thread) {
      item.next_ = nullptr;
      (last_ ? last_->next_ : first_) = &item;
      last_ = &item;
    }
  }
  // Out of threads: late is better than never.
  if (!has_thread) return run(item);
  posted_.fetch_add(1, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst)) posted_.notify_one();
}

void HostThread::run(HostItem& item) {
  Scheduler* const scheduler = Scheduler::get();
  if (scheduler) scheduler->host_item_begins();
  item.run_on_host_thread();
  if (scheduler) scheduler->host_item_done();
}

HostItem* HostThread::next() {
  MutexLock lock(mutex_);
  HostItem* item = first_;
  if (item) {
    first_ = item->next_;
    if (!first_) last_ = nullptr;
  }
  return item;
}

void HostThread::serve() {
  Spinner spinner(Spinner::usual);
  uint32_t seen = 0;
  while (!ending_.load(std::memory_order_acquire)) {
    if (posted_.load(std::memory_order_acquire) != seen) {
      seen = posted_.load(std::memory_order_acquire);
      while (HostItem* item = next()) {
        if (!Workers::get().begin()) return;  // the process exits
        run(*item);
        Workers::get().end();
      }
      spinner.restart();
      continue;
    }
    if (spinner.spin()) continue;
    sleeping_.store(true, std::memory_order_seq_cst);
    posted_.wait(seen, std::memory_order_seq_cst);
    sleeping_.store(false, std::memory_order_relaxed);
  }
}

}  // namespace cuvette::exec
