// SPDX-License-Identifier: Apache-2.0
// What reports say about an address and the allocation that it belongs to.
//
// Threads: any.
#pragma once

#include <vector>

#include "sim/check/report.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::check {

// Where an address lies in relation to the allocations of the address space.
struct Located {
  enum class How { living, freed, nowhere } how;
  // The allocation that holds the address, or held it, or lies nearest; none if there is none at
  // all.
  Ref<memory::Allocation> allocation;
};
Located locate(const memory::AddressSpace& memory, memory::DevicePtr address);

// Returns "device memory", "external memory" and so on.
const char* name(memory::AllocationKind kind);

// Adds the facts about `located`, seen from `address`.
void add_facts(std::vector<Fact>& facts, const Located& located, memory::DevicePtr address);

}  // namespace cuvette::check
