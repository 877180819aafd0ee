// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/timeline.hpp"

#include <algorithm>

namespace cuvette::exec {

bool Timeline::add(Waiter& waiter, uint64_t target) {
  MutexLock lock(mutex_);
  const uint64_t before = next_target_.load(std::memory_order_relaxed);
  next_target_.store(std::min(before, target), std::memory_order_seq_cst);
  if (completed_.load(std::memory_order_seq_cst) >= target) {
    next_target_.store(before, std::memory_order_relaxed);
    return false;
  }
  waiter.target_ = target;
  waiter.linked_ = true;
  waiter.next_ = waiters_;
  waiters_ = &waiter;
  return true;
}

void Timeline::remove(Waiter& waiter) {
  MutexLock lock(mutex_);
  if (!waiter.linked_) return;
  for (Waiter** link = &waiters_; *link; link = &(*link)->next_) {
    if (*link != &waiter) continue;
    *link = waiter.next_;
    waiter.linked_ = false;
    // next_target_ may now be too low; advance() then looks once in vain and corrects it.
    return;
  }
}

void Timeline::wake(uint64_t value) {
  MutexLock lock(mutex_);
  uint64_t next = UINT64_MAX;
  Waiter** link = &waiters_;
  while (Waiter* waiter = *link) {
    if (waiter->target_ <= value) {
      *link = waiter->next_;
      waiter->linked_ = false;
      waiter->wake();
    } else {
      next = std::min(next, waiter->target_);
      link = &waiter->next_;
    }
  }
  next_target_.store(next, std::memory_order_relaxed);
}

}  // namespace cuvette::exec
