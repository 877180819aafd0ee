// SPDX-License-Identifier: Apache-2.0
// ManagedMemory: what a program has advised about ranges of managed memory, and where it sent them.
//
// Here all memory is one: advice changes nothing but what is told about it.
//
// Threads: any. Invariant: what is kept of an allocation ends with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/memory/address.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/memory_place.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

using memory::MemoryPlace;

struct MemoryAdvice {
  bool read_mostly = false;
  MemoryPlace preferred, last_prefetch;
  uint32_t accessed_by = 0;  // a bit for each device
  bool accessed_by_host = false;

  bool operator==(const MemoryAdvice&) const = default;
};

class ManagedMemory {
 public:
  // The managed allocation that all of [address, address + size) lies in. Errors: invalid_value for
  // an empty range and if there is none.
  static Result<Ref<memory::Allocation>> find(memory::DevicePtr address, size_t size);

  // Changes what is kept of the pages that hold a part of the range.
  static void change(const Ref<memory::Allocation>& allocation, memory::DevicePtr address,
                     size_t size, const std::function<void(MemoryAdvice&)>& change);
  // What is kept of these pages: each that differs from the one before it.
  static std::vector<MemoryAdvice> advice(const Ref<memory::Allocation>& allocation,
                                          memory::DevicePtr address, size_t size);
};

}  // namespace cuvette::device
