// SPDX-License-Identifier: Apache-2.0
#include "sim/device/observer.hpp"

#include <algorithm>

namespace cuvette::device {

void Observers::attach(Observer& observer) {
  MutexLock lock(mutex_);
  const List* old = list_.load(std::memory_order_relaxed);
  auto* list = old ? new List(*old) : new List;
  list->push_back(&observer);
  list_.store(list, std::memory_order_release);
}

void Observers::detach(Observer& observer) {
  MutexLock lock(mutex_);
  const List* old = list_.load(std::memory_order_relaxed);
  if (!old) return;
  auto* list = new List(*old);
  list->erase(std::remove(list->begin(), list->end(), &observer), list->end());
  list_.store(list->empty() ? nullptr : list, std::memory_order_release);
}

}  // namespace cuvette::device
