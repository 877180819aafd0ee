// SPDX-License-Identifier: Apache-2.0
#include "sim/stream/device_heap.hpp"

#include <algorithm>

#include "sim/os/device_access.hpp"
#include "sim/stream/machine.hpp"

namespace cuvette::device {

namespace {

constexpr size_t granule = 16;

}  // namespace

uint64_t DeviceHeap::allocate(size_t size, size_t heap_size, const memory::Asker& asker) {
  MutexLock lock(mutex_);
  if (!heap_) {
    auto memory = Machine::get().memory().reserve(heap_size, asker);
    // The caller is a running kernel. Filling fresh memory has taken the thread's right to device
    // memory away, so it is restored.
    os::DeviceAccess::allow();
    if (!memory.ok()) return 0;
    memory_ = std::move(memory).value();
    heap_.emplace(memory_->address, memory_->size);
  }
  if (size > memory_->size) return 0;
  size = std::max((size + granule - 1) & ~(granule - 1), granule);
  const auto taken = heap_->take(size, granule);
  if (!taken) return 0;
  sizes_.emplace(taken->at, size);
  return taken->at;
}

bool DeviceHeap::free(uint64_t address) {
  MutexLock lock(mutex_);
  const auto found = sizes_.find(address);
  if (found == sizes_.end()) return false;
  heap_->give(address, found->second);
  sizes_.erase(found);
  return true;
}

std::optional<DeviceHeap::Range> DeviceHeap::find(uint64_t address) {
  MutexLock lock(mutex_);
  if (!memory_ || !memory_->contains(address, 1)) return std::nullopt;
  return Range{memory_->address, memory_->end()};
}

bool DeviceHeap::exists() {
  MutexLock lock(mutex_);
  return heap_.has_value();
}

void DeviceHeap::forget() {
  MutexLock lock(mutex_);
  sizes_.clear();
  heap_.reset();
  memory_ = nullptr;
}

}  // namespace cuvette::device
