// SPDX-License-Identifier: Apache-2.0
// Heap: which parts of an address range are free. Best fit; neighbours are joined at once.
//
// It never touches the memory that it gives out. Threads: one at a time. Invariants: free blocks
// are not empty, do not overlap and do not touch each other; both indexes hold the same blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace cuvette::memory {

class Heap {
 public:
  struct Block {
    uint64_t begin, end;
    size_t size() const { return end - begin; }
  };
  struct Taken {
    uint64_t at;
    Block from;  // the free block that it was cut out of
  };

  Heap(uint64_t begin, size_t size);

  // Takes `size` bytes at a multiple of `alignment` (a power of two) out of the smallest block that
  // has them, at its lowest address. O(log n).
  std::optional<Taken> take(size_t size, size_t alignment);

  // Takes [at, at + size) if all of it is free. O(log n).
  bool take_at(uint64_t at, size_t size);

  // Gives back [at, at + size), which was taken; returns the free block that it is now part of.
  Block give(uint64_t at, size_t size);

  // Calls `visit(Block)` for the free blocks of at least `least` bytes, the largest first, until it
  // returns false.
  template <typename Visit>
  void visit_largest(size_t least, Visit visit) const {
    for (auto at = by_size_.rbegin(); at != by_size_.rend() && at->first >= least; ++at) {
      if (!visit(Block{at->second, at->second + at->first})) return;
    }
  }

 private:
  using ByAddress = std::map<uint64_t, uint64_t>;          // begin, end
  using BySize = std::set<std::pair<uint64_t, uint64_t>>;  // size, begin

  BySize::const_iterator fitting(size_t size, size_t alignment) const;

  ByAddress by_address_;
  BySize by_size_;
};

}  // namespace cuvette::memory
