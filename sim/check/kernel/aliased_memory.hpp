// SPDX-License-Identifier: Apache-2.0
// Memory that has several addresses: mappings of one external memory, of one handle of cuMemCreate,
// or of another process's memory, that overlap.
//
// Threads: any.
#pragma once

#include <vector>

#include "sim/check/kernel/alias_watch.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::watch {

// Returns the living mappings that share bytes with another.
std::vector<AliasedRange> aliased_memory(const memory::AddressSpace& memory);

}  // namespace cuvette::watch
