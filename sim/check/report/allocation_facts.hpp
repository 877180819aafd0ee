// SPDX-License-Identifier: Apache-2.0
// The facts in reports about an address and its allocation.
//
// Threads: any.
#pragma once

#include <vector>

#include "sim/check/report/report.hpp"
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

// Returns where a region lies: in what is mapped there rather than in the reserved range around it,
// which counts its users, so that two mappings of the same memory are the same bytes.
Ref<const memory::Allocation> memory_of(const memory::Use& use, const memory::Region& region);

// Returns "device memory", "external memory" and so on.
const char* name(memory::AllocationKind kind);
const char* name(const memory::Allocation& allocation);

// Returns why a graph's memory is not there, as the end of a sentence about it, and what to do.
// `was_there`: a launch has allocated it before.
const char* why_absent(bool was_there);
const char* advice_about_absent();

// Returns the name of the function that ends such memory.
const char* freed_with(memory::AllocationKind kind);

// Returns what to do about an access to global memory that is not there. `bytes`: of the access.
std::string advice_of(const Located& located, memory::DevicePtr address, uint64_t bytes,
                      const memory::AddressSpace& memory);

// Adds the facts about an allocation that lives, and about `located`, seen from `address`.
void add_facts(std::vector<Fact>& facts, const memory::Allocation& living,
               memory::DevicePtr address);
void add_facts(std::vector<Fact>& facts, const Located& located, memory::DevicePtr address);
// Adds which call frees the memory, if the facts just added do not say so: the command that frees
// it may not have run. No effect if the call is null.
void add_free(std::vector<Fact>& facts, const void* call);

}  // namespace cuvette::check
