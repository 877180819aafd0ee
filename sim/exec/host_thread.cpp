// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/host_thread.hpp"

#include <utility>

#include "sim/exec/exit_gate.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/process.hpp"
#include "sim/os/thread_exit.hpp"

namespace cuvette::exec {

bool HostThread::start() {
  thread_ = os::start_thread("cuvette-host", [self = Ref<HostThread>(this)] { self->serve(); });
  return thread_.joinable();
}

void HostThread::stop() {
  MutexLock only(stopping_);
  std::thread thread;
  {
    MutexLock lock(mutex_);
    if (!thread_.joinable()) return;
    ending_.store(true, std::memory_order_release);
    if (thread_.get_id() == std::this_thread::get_id()) return thread_.detach();
    thread = std::move(thread_);
  }
  posted_.fetch_add(1, std::memory_order_release);
  os::wake_one(posted_);
  thread.join();
  bool left;
  {
    MutexLock lock(mutex_);
    ending_.store(false, std::memory_order_relaxed);
    // Other threads may have posted items since.
    left = (first_ || called_) && !start();
  }
  if (left) serve_items();
}

void HostThread::post(HostItem& item) {
  Scheduler* const scheduler = Scheduler::get();
  if (scheduler) scheduler->host_item_posted();
  bool has_thread;
  {
    MutexLock lock(mutex_);
    has_thread = ending_.load(std::memory_order_relaxed) || thread_.joinable() || start();
    if (has_thread) {
      item.next_ = nullptr;
      (last_ ? last_->next_ : first_) = &item;
      last_ = &item;
    }
  }
  if (!has_thread) {
    // There is no thread, so the item runs here.
    if (scheduler) scheduler->host_item_begins();
    item.call_host();
    item.host_called(true);
    if (scheduler) scheduler->host_item_done();
    return;
  }
  posted_.fetch_add(1, std::memory_order_seq_cst);
  if (!sleeping_.load(std::memory_order_seq_cst)) return;
  posted_at_.store(os::now_ns(), std::memory_order_relaxed);
  os::wake_one(posted_);
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

// Called when the thread ends. If it was inside a function, that function ended it.
void HostThread::thread_ends() {
  HostItem* const item = std::exchange(calling_, nullptr);
  if (!item) return;
  ExitGate::get().end();
  bool left;
  {
    MutexLock lock(mutex_);
    called_ = item;
    if (ending_.load(std::memory_order_relaxed)) return;  // stop() goes on
    thread_.detach();
    left = !start();
  }
  if (left) serve_items();
}

// Runs everything that is on the list.
void HostThread::serve_items() {
  Scheduler* const scheduler = Scheduler::get();
  HostItem* called;
  {
    MutexLock lock(mutex_);
    called = std::exchange(called_, nullptr);
  }
  if (called) {
    if (!ExitGate::get().begin()) return;  // the process exits
    called->host_called(false);
    if (scheduler) scheduler->host_item_done();
    ExitGate::get().end();
  }
  while (!ending_.load(std::memory_order_acquire)) {
    HostItem* const item = next();
    if (!item) return;
    if (!ExitGate::get().begin()) return;
    if (scheduler) scheduler->host_item_begins();
    calling_ = item;
    {
      const os::Cancellable function;
      item->call_host();
    }
    calling_ = nullptr;
    item->host_called(true);
    if (scheduler) scheduler->host_item_done();
    ExitGate::get().end();
  }
}

void HostThread::serve() {
  retain();
  os::at_thread_exit(
      [](void* host) {
        static_cast<HostThread*>(host)->thread_ends();
        static_cast<HostThread*>(host)->release();
      },
      this);
  Spinner spinner(Spinner::usual);
  uint32_t seen = posted_.load(std::memory_order_acquire) - 1;
  while (!ending_.load(std::memory_order_acquire)) {
    if (const uint32_t posted = posted_.load(std::memory_order_acquire); posted != seen) {
      seen = posted;
      serve_items();
      spinner.restart();
      continue;
    }
    if (spinner.spin()) continue;
    posted_at_.store(0, std::memory_order_relaxed);
    sleeping_.store(true, std::memory_order_seq_cst);
    if (posted_.load(std::memory_order_seq_cst) == seen) os::sleep_while(posted_, seen);
    sleeping_.store(false, std::memory_order_relaxed);
    if (const int64_t since = posted_at_.load(std::memory_order_relaxed))
      Oversubscription::waited(since, os::now_ns());
  }
}

}  // namespace cuvette::exec
