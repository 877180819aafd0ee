// SPDX-License-Identifier: Apache-2.0
// RangeIndex: living allocations, found by any address inside them.
//
// A sorted list in leaves of 64, and above the leaves the sorted list of their first addresses: a
// lookup is two binary searches in contiguous memory, a change moves at most one leaf and, rarely,
// the upper list.
//
// Threads: any; lookups share the lock. Invariants: allocations do not overlap; no leaf is empty;
// firsts_[i] is leaves_[i]'s first address. It holds a reference to each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/ref.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/shared_lock.hpp"

namespace cuvette::memory {

class RangeIndex {
 public:
  RangeIndex() = default;
  ~RangeIndex();
  RangeIndex(const RangeIndex&) = delete;
  RangeIndex& operator=(const RangeIndex&) = delete;

  // Adds an allocation. False, and nothing changes, if it overlaps another.
  bool insert(const Ref<Allocation>& allocation);
  // Removes an allocation. False if it is not there (any more).
  bool erase(const Allocation& allocation);
  // The same for an allocation that is there until record_gone(), although it is not found.
  bool hide(const Allocation& allocation);

  Ref<Allocation> find(DevicePtr address) const;
  // Calls `look(context, allocation)` with what find() would return, without counting a reference;
  // false if that is none. Changes wait for it, so it must be short and take no lock.
  using Look = void (*)(void* context, const Allocation& allocation);
  bool look_at(DevicePtr address, Look look, void* context) const;
  // Returns the last allocation with a byte in [begin, end), or none.
  Ref<Allocation> last_in(DevicePtr begin, DevicePtr end) const;
  // Whether any allocation has a byte in [begin, end).
  bool any(DevicePtr begin, DevicePtr end) const;
  std::vector<Ref<Allocation>> all() const;  // in address order

 private:
  static constexpr uint32_t leaf_capacity = 64;
  struct Leaf {
    uint32_t count = 0;
    DevicePtr begins[leaf_capacity];
    Allocation* allocations[leaf_capacity];
  };
  // The last allocation that begins at or before an address: leaves_[leaf] at `at`.
  struct Position {
    size_t leaf;
    uint32_t at;
    bool found;
  };

  bool add(Ref<Allocation> allocation);
  Ref<Allocation> remove(const Allocation& allocation);
  Position last_at_or_before(DevicePtr address) const;
  bool overlaps(DevicePtr begin, DevicePtr end) const;
  void split(size_t leaf, uint32_t at);

  mutable SharedLock lock_;
  std::vector<DevicePtr> firsts_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  // The leaf that became empty last: a program that has few allocations often has none.
  std::unique_ptr<Leaf> spare_;
};

}  // namespace cuvette::memory
