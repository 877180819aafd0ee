// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/shared_semaphore.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/vulkan_layer/libcuda_link.hpp"
#include "api/vulkan_layer/threads.hpp"

namespace cuvette::vulkan_layer {
namespace {

// In nanoseconds. A helper that has been called for nothing for so long ends.
constexpr int64_t longest_rest = 2'000'000'000;
// A sleep on a block is woken by a signal, and by the thread that stops the helper; another process
// may spoil the word that says so.
constexpr int64_t longest_sleep = 250'000'000;
// Where libcuda notifies the layer of its writes, the block is polled at this interval for writes
// of other processes.
constexpr int64_t sleep_if_reported = 4'000'000;
// The driver's wait cannot be woken, so a helper that waits for what never comes, because a submit
// was refused or the application broke off, looks now and then.
constexpr uint64_t longest_wait = 100'000'000;

}  // namespace

VkResult SharedSemaphore::make(SemaphoreHome& home, Kind kind, std::unique_ptr<Block> block,
                               std::shared_ptr<SharedSemaphore>& semaphore) {
  Timeline mirror, done;
  const auto get = [&](Timeline& timeline) {
    return kind == Kind::binary ? home.timelines.take(timeline)
                                : home.timelines.make(block->value(), timeline);
  };
  if (const VkResult failure = get(mirror); failure != VK_SUCCESS) return failure;
  if (const VkResult failure = get(done); failure != VK_SUCCESS) {
    home.timelines.give_back(mirror);
    return failure;
  }
  semaphore.reset(new SharedSemaphore(home, kind, std::move(block), mirror, done));
  LibcudaLink::get().add(*semaphore);
  return VK_SUCCESS;
}

SharedSemaphore::SharedSemaphore(SemaphoreHome& home, Kind kind, std::unique_ptr<Block> block,
                                 Timeline mirror, Timeline done)
    : home_(home),
      kind_(kind),
      block_(std::move(block)),
      mirror_(mirror),
      last_wait_(mirror.value),
      done_(done),
      last_signal_(done.value) {}

SharedSemaphore::~SharedSemaphore() {
  LibcudaLink::get().remove(*this);
  Helper block_watcher, done_watcher;
  Timeline mirror, done;
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.notify_all();
    block_->wake();
    block_watcher = std::move(block_watcher_);
    done_watcher = std::move(done_watcher_);
  }
  if (block_watcher.thread.joinable()) block_watcher.thread.join();
  if (done_watcher.thread.joinable()) done_watcher.thread.join();
  {
    MutexLock lock(mutex_);
    home_.pending_signals -= static_cast<int64_t>(signals_.size());
    mirror = mirror_;
    // A cancelled signal's number is never given twice.
    done = {done_.semaphore, std::max(done_.value, last_signal_)};
    abandoned_ |= lost_ || !signals_.empty() || has_waits();
  }
  for (const Timeline& timeline : {mirror, done}) {
    if (abandoned_)
      home_.timelines.retire(timeline);
    else if (kind_ == Kind::binary)
      home_.timelines.give_back(timeline);
    else
      home_.timelines.destroy(timeline);
  }
}

// --- Waits ---------------------------------------------------------------------------------------

VkResult SharedSemaphore::add_wait(uint64_t value, Point& point) {
  const LibcudaLink::Tell tell(*block_);
  const bool libcuda_reports = LibcudaLink::get().tells(*block_);
  MutexLock lock(mutex_);
  if (libcuda_reports_ != libcuda_reports) changed_.notify_all();
  libcuda_reports_ = libcuda_reports;
  if (kind_ == Kind::binary) {
    value = ++last_wait_;
  } else if (value > mirror_.value) {
    waits_.insert(value);
  }
  point = {mirror_.semaphore, value};
  if (!has_waits()) return VK_SUCCESS;
  publish_locked();
  follow_block();
  if (!has_waits()) return VK_SUCCESS;
  const VkResult failure = wake(block_watcher_, "cuvette-vk-wait", &SharedSemaphore::watch_block);
  if (failure != VK_SUCCESS) cancel_wait_locked(point);
  return failure;
}

void SharedSemaphore::cancel_wait(const Point& point) {
  const LibcudaLink::Tell tell(*block_);
  MutexLock lock(mutex_);
  cancel_wait_locked(point);
}

void SharedSemaphore::cancel_wait_locked(const Point& point) {
  if (kind_ == Kind::timeline) {
    if (const auto found = waits_.find(point.value); found != waits_.end()) waits_.erase(found);
  } else if (point.value <= mirror_.value) {
    block_->signal(1);  // it has taken a signal away
  } else {
    cancelled_.insert(point.value);
    follow_block();
  }
}

void SharedSemaphore::set_mirror(uint64_t value) {
  if (value <= mirror_.value) return;
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr,
                                     mirror_.semaphore, value};
  if (home_.functions.SignalSemaphore(home_.device, &signal) != VK_SUCCESS) lost_ = true;
  mirror_.value = value;
}

// Ends the waits that the block allows to end.
void SharedSemaphore::follow_block() {
  if (kind_ == Kind::timeline) {
    const uint64_t value = block_->value();
    if (waits_.empty() || value < *waits_.begin()) return;
    set_mirror(value);
    waits_.erase(waits_.begin(), waits_.upper_bound(mirror_.value));
    return;
  }
  uint64_t number = mirror_.value;
  while (number < last_wait_ && (cancelled_.erase(number + 1) != 0 || block_->take())) ++number;
  set_mirror(number);
}

bool SharedSemaphore::release() {
  MutexLock lock(mutex_);
  if (!has_waits()) return false;
  set_mirror(kind_ == Kind::binary ? last_wait_ : *waits_.rbegin());
  waits_.clear();
  cancelled_.clear();
  return true;
}

// --- Signals -------------------------------------------------------------------------------------

VkResult SharedSemaphore::add_signal(uint64_t value, Point& point) {
  MutexLock lock(mutex_);
  // The application sees to it that a timeline's signals take place in the order of their values,
  // regardless of the order in which it submits them.
  if (kind_ == Kind::binary) value = ++last_signal_;
  point = {done_.semaphore, value};
  signals_.insert(value);
  ++home_.pending_signals;
  const VkResult failure = wake(done_watcher_, "cuvette-vk-done", &SharedSemaphore::watch_done);
  if (failure != VK_SUCCESS) cancel_signal_locked(point);
  return failure;
}

void SharedSemaphore::cancel_signal(const Point& point) {
  MutexLock lock(mutex_);
  cancel_signal_locked(point);
}

void SharedSemaphore::cancel_signal_locked(const Point& point) {
  if (const auto found = signals_.find(point.value); found != signals_.end()) {
    signals_.erase(found);
    --home_.pending_signals;
  }
}

void SharedSemaphore::forget_signals_up_to(uint64_t value) {
  const size_t before = signals_.size();
  signals_.erase(signals_.begin(), signals_.upper_bound(value));
  home_.pending_signals -= static_cast<int64_t>(before - signals_.size());
}

void SharedSemaphore::publish_locked() {
  if (signals_.empty()) return;
  uint64_t value = 0;
  if (home_.functions.GetSemaphoreCounterValue(home_.device, done_.semaphore, &value) !=
      VK_SUCCESS) {
    lost_ = true;
    return;
  }
  if (value > done_.value) {
    done_.value = value;
    block_->signal(value);
    follow_block();
  }
  forget_signals_up_to(value);
}

void SharedSemaphore::follow() {
  MutexLock lock(mutex_);
  if (!lost_) follow_block();
}

void SharedSemaphore::publish() {
  const LibcudaLink::Tell tell(*block_);
  MutexLock lock(mutex_);
  publish_locked();
}

VkResult SharedSemaphore::signal(uint64_t value) {
  const LibcudaLink::Tell tell(*block_);
  MutexLock lock(mutex_);
  block_->signal(value);
  follow_block();
  return lost_ ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

uint64_t SharedSemaphore::value() {
  const LibcudaLink::Tell tell(*block_);
  MutexLock lock(mutex_);
  publish_locked();
  return std::max(block_->value(), mirror_.value);
}

void SharedSemaphore::end_helpers() {
  const LibcudaLink::Tell tell(*block_);
  MutexLock lock(mutex_);
  publish_locked();
  changed_.notify_all();
  block_->wake();
}

bool SharedSemaphore::is_idle() {
  const LibcudaLink::Tell tell(*block_);
  MutexLock lock(mutex_);
  publish_locked();
  return !has_waits() && signals_.empty();
}

// --- Helpers -------------------------------------------------------------------------------------

VkResult SharedSemaphore::wake(Helper& helper, const char* name, void (SharedSemaphore::*body)()) {
  if (helper.runs || lost_) {
    if (&helper != &block_watcher_ || !libcuda_reports_) changed_.notify_all();
    return VK_SUCCESS;
  }
  if (helper.thread.joinable()) helper.thread.join();  // it has ended, or is about to
  helper.thread = start_thread(name, [this, body] { (this->*body)(); });
  helper.runs = helper.thread.joinable();
  // While the process exits, only what callers ask for is done.
  return helper.runs || is_exiting() ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

bool SharedSemaphore::stops() const { return stop_ || lost_ || is_exiting(); }

// Waits until there is something to do. False after a long time without.
bool SharedSemaphore::rest() {
  return changed_.wait_for(mutex_, std::chrono::nanoseconds(longest_rest)) ==
         std::cv_status::no_timeout;
}

// Makes sure that writes of other processes are not missed while libcuda reports its own. A new
// wait does not wake it. Returns after a long time without waits, or when libcuda stops reporting.
void SharedSemaphore::look_now_and_then() {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  auto waited = now();
  while (libcuda_reports_ && !stops() && now() - waited < std::chrono::nanoseconds(longest_rest)) {
    changed_.wait_for(mutex_, std::chrono::nanoseconds(sleep_if_reported));
    follow_block();
    if (has_waits()) waited = now();
  }
}

void SharedSemaphore::watch_block() {
  mutex_.lock();
  for (bool goes_on = true; goes_on && !stops();) {
    if (libcuda_reports_) {
      look_now_and_then();
      goes_on = !libcuda_reports_ || has_waits();
      continue;
    }
    if (!has_waits()) {
      goes_on = rest() || has_waits();
      continue;
    }
    Block::Watch watch(*block_);
    follow_block();
    if (!has_waits() || stops()) continue;
    mutex_.unlock();
    watch.sleep(longest_sleep);
    mutex_.lock();
  }
  block_watcher_.runs = false;
  mutex_.unlock();
}

void SharedSemaphore::watch_done() {
  mutex_.lock();
  for (bool goes_on = true; goes_on && !stops();) {
    publish_locked();
    if (block_->take_written()) {
      mutex_.unlock();
      LibcudaLink::get().tell(*block_);
      mutex_.lock();
      continue;
    }
    if (signals_.empty()) {
      goes_on = rest() || !signals_.empty();
      continue;
    }
    const VkSemaphore semaphore = done_.semaphore;
    const uint64_t value = *signals_.begin();
    mutex_.unlock();
    const VkSemaphoreWaitInfo wait{
        VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &value};
    const VkResult result = home_.functions.WaitSemaphores(home_.device, &wait, longest_wait);
    mutex_.lock();
    if (result < 0) lost_ = true;
  }
  done_watcher_.runs = false;
  mutex_.unlock();
}

}  // namespace cuvette::vulkan_layer
