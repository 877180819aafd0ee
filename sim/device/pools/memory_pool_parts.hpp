// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of MemoryPool share.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/pools/memory_pool.hpp"
#include "sim/device/stream/memory_operations.hpp"

namespace cuvette::device {

// The sizes that allocations, and shared reserves, which are whole pages, are multiples of.
inline constexpr size_t granularity = 512;
inline constexpr size_t small_unit = 2 << 20;

// The bytes that an allocation takes, with the gap after it.
inline size_t taken_by(size_t size) {
  return round_up(size + Machine::get().needs().gap(), granularity);
}

// All pools that can be looked up. Reached through a function, so that no static destructor runs.
struct Pools {
  Mutex mutex;
  std::unordered_map<uint64_t, Ref<MemoryPool>> by_id GUARDED_BY(mutex);
  std::map<MemoryPool::Home, Ref<MemoryPool>> default_of GUARDED_BY(mutex);
  std::map<MemoryPool::Home, Ref<MemoryPool>> current_of GUARDED_BY(mutex);
  // For each device its default pool, as long as that is also the current one; else null. Nobody
  // destroys a default pool, so such a one is found without the lock.
  std::array<std::atomic<MemoryPool*>, 64> usual{};

  // Call it when the default or the current pool of a home has changed.
  void note_usual(const MemoryPool::Home& home) REQUIRES(mutex);
  // Returns the device's usual pool, or null.
  MemoryPool* usual_of(unsigned device) const {
    return device < usual.size() ? usual[device].load(std::memory_order_acquire) : nullptr;
  }
};

Pools& pools();
std::vector<Ref<MemoryPool>> all_pools();

// Makes the segment of a pool that processes share: a header, followed by `size` bytes for the
// parts. Errors: out_of_memory, operating_system.
inline constexpr size_t shared_header_size = small_unit;
Result<Ref<os::Segment>> make_shared_segment(unsigned device, size_t size);

}  // namespace cuvette::device
