// SPDX-License-Identifier: Apache-2.0
// SumCache: additions to memory by a block's threads that no one has read yet.
//
// Thousands of threads that count into a few words would each need the word's cache line for a
// locked instruction. Their sums are kept here instead, in an entry for the word or at its place in
// a page, and are added to memory later in one go. That is within what PTX promises:
//
// - It is done for relaxed additions of whole numbers with an unused result, below system scope.
//   Such operations of different threads may take place in any order, so those of one entry may
//   take place back to back when their total is added. Sums of floating-point numbers are rounded
//   one by one and are not kept.
// - Only an access to the same place, a fence, a release or a barrier orders them before what the
//   thread does later. Compiled code settles everything that its own access may touch before the
//   access (emit/sums.cpp), and everything before fences, operations that synchronise, and accesses
//   that others may answer to (volatile, relaxed). One host thread runs a block, so this holds for
//   all threads of the block and what barriers within it order.
// - exec::Block settles everything each time a warp returns to it: at barriers, where warps yield,
//   and at the end. So a thread that waits for a sum sees it, however long this block itself waits,
//   and nothing is kept between two kernels. A warp that keeps adding for long settles everything
//   now and then, for a host that watches.
// - Two addresses of the same bytes need fence.proxy, which is a fence. Words of another size may
//   overlap these: an operation of another size settles everything first, so that all that is kept
//   is of one size, and aligned.
// - Faults are the operation's own: the address is tested before it comes here.
//
// Threads: the one that runs the block.
#pragma once

#include <cstdint>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::ptx {

// Adds values[lane], of `bytes` (4 or 8) each, at addresses[lane] for each lane of `mask`.
void add_sums(BlockContext* block, const uint64_t* addresses, const void* values, uint32_t mask,
              uint32_t bytes);
// The same with one value for all lanes.
void add_to_each(BlockContext* block, const uint64_t* addresses, uint64_t value, uint32_t mask,
                 uint32_t bytes);
// Adds to one word.
void add_sum(BlockContext* block, uint64_t address, uint64_t value, uint32_t bytes);

// Adds the sums of all words in [begin, end) to memory.
void settle_sums(BlockContext* block, uint64_t begin, uint64_t end);
void settle_all_sums(BlockContext* block);

// Frees a context's cache; all sums must be settled.
void free_sums(BlockContext* block);

}  // namespace cuvette::ptx
