// SPDX-License-Identifier: Apache-2.0
// ManagedMemory: what a program has advised about ranges of managed memory, where it has prefetched
// them, and which it has attached.
//
// All memory is in one place here, so advice changes nothing but the answers to queries about it.
//
// Threads: any. Invariant: the record of an allocation ends with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/memory_place.hpp"

namespace cuvette::device {

using memory::MemoryPlace;

class Stream;

struct MemoryAdvice {
  bool read_mostly = false;
  MemoryPlace preferred, last_prefetch;
  uint32_t accessed_by = 0;  // a bit for each device
  bool accessed_by_host = false;

  bool operator==(const MemoryAdvice&) const = default;
};

class ManagedMemory {
 public:
  // Finds the managed allocation that contains all of [address, address + size). Errors:
  // invalid_value if the range is empty or no such allocation exists.
  static Result<Ref<memory::Allocation>> find(memory::DevicePtr address, size_t size);

  // Changes the record of each page that holds a part of the range.
  static void change(const Ref<memory::Allocation>& allocation, memory::DevicePtr address,
                     size_t size, const std::function<void(MemoryAdvice&)>& change);
  // The records of these pages; a page with the record of its predecessor is left out.
  static std::vector<MemoryAdvice> advice(const Ref<memory::Allocation>& allocation,
                                          memory::DevicePtr address, size_t size);

  // Attaches all of the managed memory at `address` to `stream`, or to host or devices
  // (cuStreamAttachMemAsync). All streams and the host can use managed memory at any time here, so
  // this is only noted. `size`: 0, or the memory's; `alone`: to that stream alone. Errors:
  // invalid_value.
  static Result<> attach(const Stream& stream, memory::DevicePtr address, size_t size, bool alone);
  static bool was_attached(const memory::Allocation& allocation);
};

}  // namespace cuvette::device
