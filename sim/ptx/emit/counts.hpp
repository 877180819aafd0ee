// SPDX-License-Identifier: Apache-2.0
// Counts: the code by which a kernel counts what its warps do (Counter in abi.hpp), and the list of
// the places that it counts (CountedPlace in jit.hpp). Nothing is emitted unless the request asks
// for it.
//
// A block is counted where its lanes begin it: all of its instructions without a predicate are
// executed together. Every access has a counter of its own, and so has an instruction with a
// predicate. Counters belong to one thread of the machine, so they are changed by plain stores.
#pragma once

#include "sim/ptx/emit/address.hpp"
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

// The lanes begin a block. Returns its counter.
uint32_t count_block(WarpBuilder& w, BlockId block);
// Lanes of the current block come to its end. `taken`: the lanes that branch, in 32 bits; null if
// all go the same way.
void count_branch(WarpBuilder& w, const Instruction& branch, uint32_t counter, V* taken);
// The same where there may be more than two ways: whether lanes part.
void count_parting(WarpBuilder& w, const Instruction& branch, uint32_t counter, V* parting);
// An instruction with a predicate, which holds for these lanes: 32 bits.
void count_predicated(WarpBuilder& w, const Instruction& i, V* lanes);
// The lanes make an access of `bytes`; `access`: access_write and access_atomic (abi.hpp).
void count_access(WarpBuilder& w, const Address& address, uint32_t bytes, uint32_t access);

}  // namespace cuvette::ptx
