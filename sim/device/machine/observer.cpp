// SPDX-License-Identifier: Apache-2.0
#include "sim/device/machine/observer.hpp"

#include <utility>

namespace cuvette::device {

void Observers::attach(Observer& observer) {
  MutexLock lock(mutex_);
  const List* old = list_.load(std::memory_order_relaxed);
  List list = old ? *old : List();
  list.push_back(&observer);
  replace(std::move(list));
}

void Observers::detach(Observer& observer) {
  MutexLock lock(mutex_);
  const List* old = list_.load(std::memory_order_relaxed);
  if (!old) return;
  List list = *old;
  std::erase(list, &observer);
  replace(std::move(list));
}

void Observers::replace(List list) {
  const bool empty = list.empty();
  lists_.push_back(std::make_unique<const List>(std::move(list)));
  list_.store(empty ? nullptr : lists_.back().get(), std::memory_order_release);
}

}  // namespace cuvette::device
