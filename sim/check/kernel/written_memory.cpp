// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/written_memory.hpp"

#include <algorithm>

#include "sim/memory/pieces.hpp"

namespace cuvette::watch {
namespace {

using memory::Allocation;
using memory::AllocationKind;
using memory::Region;

bool is_followed(const Allocation& allocation) {
  if (allocation.in_segment.load(std::memory_order_acquire)) return false;
  switch (allocation.kind) {
    case AllocationKind::device:
    case AllocationKind::reserve:  // the heap of kernels
      return true;
    case AllocationKind::pool:
      return allocation.pool_memory == memory::PoolMemory::device;
    case AllocationKind::mapping:
      return allocation.physical && !allocation.on_host && !allocation.physical->imported() &&
             allocation.physical->properties().handle_types == 0;
    default:
      return false;
  }
}

}  // namespace

std::atomic<WrittenMemory*> WrittenMemory::instance_{nullptr};

void WrittenMemory::start(const memory::AddressSpace& space) {
  instance_.store(new WrittenMemory(space), std::memory_order_release);
}

WrittenMemory::Range WrittenMemory::find(uint64_t address) {
  Ref<Allocation> allocation = space_.find_in_use(address);
  if (!allocation) allocation = space_.find_reserve(address);
  if (!allocation) return {address, address + 1, nullptr, 0};
  Range range{allocation->address, allocation->end(), nullptr, 0};
  if (!is_followed(*allocation)) return range;
  const bool is_mapping = memory::Identity::is_of_segment(*allocation);
  range.offset = allocation->address - memory::Identity::base_of(*allocation);
  MutexLock lock(mutex_);
  Memory& memory = memories_.at(memory::Identity::of(*allocation), [this](const Memory& one) {
    return one.allocation && one.allocation->ended.load(std::memory_order_acquire) &&
           space_.find_in_use(one.allocation->address).get() != one.allocation.get();
  });
  if (!memory.bytes) {
    memory.bytes = std::make_shared<SharedBytes>();
    if (!is_mapping) memory.allocation = allocation;
  }
  range.bytes = memory.bytes;
  return range;
}

void WrittenMemory::set(const Region& region, bool written) {
  memory::visit_pieces(region, SIZE_MAX, [&](uint64_t offset, uint64_t size) {
    set(region.address + offset, size, written);
  });
}

void WrittenMemory::set(uint64_t address, uint64_t size, bool written) {
  for (const uint64_t end = address + size; address < end;) {
    const Range range = find(address);
    if (!range.bytes && range.end == address + 1) return;  // no memory of a device
    const uint64_t part = std::min(end, range.end);
    if (range.bytes) {
      MutexLock lock(range.bytes->mutex);
      range.bytes->bytes.set(range.place(address), range.place(part), written);
    }
    address = part;
  }
}

void WrittenMemory::copy(const Region& to, const Region& from) {
  if (to.width != from.width || to.height != from.height || to.depth != from.depth)
    return set(to, true);
  if (to.bytes() == to.extent() && from.bytes() == from.extent())
    return copy(to.address, from.address, to.bytes());
  for (size_t z = 0; z < to.depth; ++z)
    for (size_t y = 0; y < to.height; ++y)
      copy(to.address + z * to.slice + y * to.pitch, from.address + z * from.slice + y * from.pitch,
           to.width);
}

void WrittenMemory::copy(uint64_t to, uint64_t from, uint64_t size) {
  while (size > 0) {
    const Range target = find(to), source = find(from);
    uint64_t part = size;
    if (target.end > to + 1) part = std::min(part, target.end - to);
    if (source.bytes) part = std::min(part, source.end - from);
    if (target.bytes && source.bytes) {
      WrittenBytes between;
      {
        MutexLock lock(source.bytes->mutex);
        between.copy(0, source.bytes->bytes, source.place(from), part);
      }
      MutexLock lock(target.bytes->mutex);
      target.bytes->bytes.copy(target.place(to), between, 0, part);
    } else if (target.bytes) {
      set(to, part, true);
    }
    to += part;
    from += part;
    size -= part;
  }
}

uint64_t WrittenMemory::left_over(uint64_t address, uint64_t size) {
  const Range range = find(address);
  if (!range.bytes || range.end - address < size) return 0;
  MutexLock lock(range.bytes->mutex);
  const uint64_t begin = range.place(address), end = begin + size;
  const uint64_t covered = range.bytes->covered_end;
  if (begin < range.bytes->covered_begin || begin >= covered || covered >= end) return 0;
  if (!range.bytes->bytes.all_written(begin, covered) ||
      range.bytes->bytes.any_written(covered, end))
    return 0;
  return end - covered;
}

}  // namespace cuvette::watch
