// SPDX-License-Identifier: Apache-2.0
#include "sim/device/machine/device_heap.hpp"

#include <algorithm>
#include <iterator>

#include "sim/base/rounding.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::device {

namespace {

constexpr size_t granule = 16;

// Whether allocations are distinguished.
bool is_exact() { return Machine::get().needs().has(Needs::bounds); }

DeviceHeap::Place place_of(const DeviceHeap::Caller& by) {
  return {std::string(by.kernel), by.location};
}

}  // namespace

uint64_t DeviceHeap::allocate(size_t size, size_t heap_size, const memory::Requester& requester,
                              const Caller& by) {
  MutexLock lock(mutex_);
  if (!heap_) {
    auto memory = Machine::get().memory().reserve(heap_size, requester);
    // The caller is a running kernel. Filling fresh memory has taken the thread's right to device
    // memory away, so it is restored.
    os::DeviceAccess::allow();
    if (!memory.ok()) return 0;
    memory_ = std::move(memory).value();
    heap_.emplace(memory_->address, memory_->size);
  }
  if (size > memory_->size) return 0;
  Piece piece;
  piece.size = size;
  piece.taken = std::max(round_up(size, granule), granule);
  if (is_exact()) {
    piece.taken += granule;
    piece.allocated_at = place_of(by);
  }
  auto taken = heap_->take(piece.taken, granule);
  while (!taken && !held_.empty()) {
    give_back_oldest();
    taken = heap_->take(piece.taken, granule);
  }
  if (!taken) return 0;
  piece.begin = taken->at;
  pieces_.emplace(taken->at, std::move(piece));
  return taken->at;
}

std::optional<size_t> DeviceHeap::free(uint64_t address, const Caller& by) {
  MutexLock lock(mutex_);
  const auto found = pieces_.find(address);
  if (found == pieces_.end() || found->second.freed_at) return std::nullopt;
  Piece& piece = found->second;
  if (!is_exact()) {
    heap_->give(address, piece.taken);
    pieces_.erase(found);
    return 0;
  }
  const size_t size = piece.size;
  piece.freed_at = place_of(by);
  held_.push_back(address);
  held_bytes_ += piece.taken;
  while (held_bytes_ > memory_->size / 4) give_back_oldest();
  return size;
}

void DeviceHeap::give_back_oldest() {
  const auto piece = pieces_.find(held_.front());
  held_.pop_front();
  held_bytes_ -= piece->second.taken;
  heap_->give(piece->first, piece->second.taken);
  pieces_.erase(piece);
}

bool DeviceHeap::contains(uint64_t address) {
  MutexLock lock(mutex_);
  return memory_ && memory_->contains(address, 1);
}

std::optional<DeviceHeap::Range> DeviceHeap::accessible(uint64_t address) {
  if (!is_exact()) {
    MutexLock lock(mutex_);
    if (!memory_) return std::nullopt;
    return Range{memory_->address, memory_->end()};
  }
  const std::optional<Piece> piece = nearest(address);
  if (!piece || piece->freed_at || address >= piece->end()) return std::nullopt;
  return Range{piece->begin, piece->end(), false};
}

std::optional<DeviceHeap::Piece> DeviceHeap::nearest(uint64_t address) {
  MutexLock lock(mutex_);
  const auto behind = pieces_.upper_bound(address);
  if (behind == pieces_.begin()) return std::nullopt;
  return std::prev(behind)->second;
}

bool DeviceHeap::exists() {
  MutexLock lock(mutex_);
  return heap_.has_value();
}

void DeviceHeap::forget() {
  MutexLock lock(mutex_);
  pieces_.clear();
  held_.clear();
  held_bytes_ = 0;
  heap_.reset();
  memory_ = nullptr;
}

}  // namespace cuvette::device
