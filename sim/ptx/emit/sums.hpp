// SPDX-License-Identifier: Apache-2.0
// Sums without a reader: which kernels have some, and how they are handled.
#pragma once

#include "sim/ptx/emit/address.hpp"

namespace cuvette::ptx {

// Whether something of the body goes to the sum cache (sum_cache.hpp). All bodies of a kernel have
// to settle what one of them keeps.
bool keeps_sums(const Body& body);

// Whether this instruction's sums go to the cache.
bool keeps_sum(WarpBuilder& w, const Instruction& i);
void keep_sum(WarpBuilder& w, const Instruction& i, const Address& address, const Value& value);
// Before an instruction: what it may read, write or make others see is in memory.
void settle_before(WarpBuilder& w, const Instruction& i);

}  // namespace cuvette::ptx
