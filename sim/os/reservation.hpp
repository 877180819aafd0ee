// SPDX-License-Identifier: Apache-2.0
// Reservation: a range of this process's addresses that nothing else can take.
//
// The range is PROT_NONE and has no memory. Windows of it are mapped with MAP_FIXED and
// given back by mapping PROT_NONE over them, never by munmap: a hole could be taken by the next
// mmap of the host program.
//
// Threads: any, on disjoint windows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/os/page.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {

// The allowed uses of a mapping.
struct Rights {
  bool read = true, write = true;
  bool host = false;  // host threads have them too: no device key
};

class Reservation {
 public:
  // Reserves `wanted` bytes; where the kernel says ENOMEM (`ulimit -v`) or valgrind says EINVAL,
  // half of that, again and again, down to `least`. Errors: out_of_memory.
  static Result<Reservation> reserve(size_t wanted, size_t least);

  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&&) = delete;
  ~Reservation();

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return begin_ + size_; }
  size_t size() const { return size_; }
  bool contains(uint64_t address) const { return address - begin_ < size_; }

  // Maps segment bytes [offset, offset + size) shared at `address`, under the device key. All three
  // are multiples of the page size. Errors: out_of_memory, operating_system.
  Result<> map(uint64_t address, const Segment& segment, uint64_t offset, size_t size) {
    return map(address, segment, offset, size, Rights{});
  }
  // The same with other rights. The mapping replaces any earlier one there.
  Result<> map(uint64_t address, const Segment& segment, uint64_t offset, size_t size,
               Rights rights);
  // Leaves a mapped range out of core dumps, which would allocate every hole of a sparse segment.
  void keep_out_of_dumps(uint64_t address, size_t size);
  // Keeps children that are forked from now on from inheriting what is mapped now. It is called
  // once before a fork instead of for each window, where it would be a third of the cost of
  // mapping.
  void keep_from_children() const;
  // Removes what is mapped at [address, address + size); the addresses stay reserved.
  void unmap(uint64_t address, size_t size);

 private:
  Reservation(uint64_t begin, size_t size) : begin_(begin), size_(size) {}

  uint64_t begin_;
  size_t size_;
};

// Maps zeroed memory that host threads may use, outside every reservation; for pinned and managed
// memory. Sizes are multiples of the page size. Errors: out_of_memory.
Result<uint64_t> map_host_pages(size_t size);
void unmap_host_pages(uint64_t address, size_t size);
// Returns the memory of the pages; they read as zero afterwards.
void discard_host_pages(uint64_t address, size_t size);

}  // namespace cuvette::os
