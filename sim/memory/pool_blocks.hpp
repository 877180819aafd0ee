// SPDX-License-Identifier: Apache-2.0
// PoolBlocks: which parts of a memory pool's reserves are free, and which command of which stream
// freed them.
//
// A free block carries a mark: the stream that freed it, by command `value`. Once the block is
// settled, that is, free for every stream, its mark names none. Neighbouring blocks of one reserve
// that have the same stream are joined; the later value counts for both. Taking is best fit among
// the blocks that the caller permits, and what is left of a block keeps its mark.
//
// It never touches the memory. Threads: one at a time. Invariants: free blocks are not empty, lie
// in one reserve each and do not overlap; no two of the same stream touch each other in a reserve;
// bins_ holds each once, under its stream, and few bins are empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace cuvette::memory {

// The command that freed a block: number `value` of stream `stream`; stream 0: settled.
struct FreedAt {
  uint64_t stream = 0, value = 0;
  bool settled() const { return stream == 0; }
};

class PoolBlocks {
 public:
  struct Taken {
    uint64_t at;
    FreedAt freed;  // the mark that it had
  };
  using Permit = std::function<bool(FreedAt)>;

  // Adds a reserve, all of it free and settled.
  void add(uint64_t begin, size_t size);

  // Takes `size` bytes out of the smallest block that is large enough and was freed in `stream`, or
  // is settled, or is permitted by `permit`; among blocks of one size in this order.
  std::optional<Taken> take(size_t size, uint64_t stream, const Permit& permit);
  // Gives back [at, at + size), which was taken.
  void give(uint64_t at, size_t size, FreedAt freed);

  // Settles the blocks with marks that satisfy `known`.
  void settle(const Permit& known);

  // Removes those reserves in which nothing is in use, every mark satisfies `known`, and
  // `more(size)`, asked for the largest first, is true; returns where they begin.
  std::vector<uint64_t> remove_unused(const Permit& known, const std::function<bool(size_t)>& more);

  // True if there is a block that was freed in `stream` and is not settled.
  bool any_of(uint64_t stream) const {
    const auto bin = bins_.find(stream);
    return bin != bins_.end() && !bin->second.empty();
  }
  size_t reserved() const { return reserved_; }

 private:
  struct Block {
    uint64_t end;
    FreedAt freed;
  };
  using Blocks = std::map<uint64_t, Block>;             // by begin
  using Bin = std::set<std::pair<uint64_t, uint64_t>>;  // size, begin

  void unbin(Blocks::iterator block);
  void bin(uint64_t begin, const Block& block);
  std::pair<uint64_t, uint64_t> reserve_of(uint64_t at) const;

  std::map<uint64_t, uint64_t> reserves_;  // begin, end
  Blocks blocks_;
  std::map<uint64_t, Bin> bins_;  // by stream; 0: settled
  size_t reserved_ = 0;
  // The nodes of the block taken last, for the next block that is given back.
  Blocks::node_type spare_block_;
  Bin::node_type spare_entry_;
};

}  // namespace cuvette::memory
