// SPDX-License-Identifier: Apache-2.0
// Names a place in a variable of a kernel as the source does: "partial[1]".
//
// PTX has the names and sizes of variables, but of most arrays not the type of their elements. So
// an index counts what the access reads or writes.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/device/kernel/kernel_call.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::check {

// Returns the name of a variable without the scopes that it is in: "partial" of the symbol of
// "reduce(float*)::partial".
std::string variable_name(const std::string& symbol);

// A place in a variable that a kernel accesses.
struct VariablePart {
  std::string name;    // the variable's
  int64_t offset = 0;  // bytes from its beginning
  uint64_t size = 0;   // bytes of the variable
  std::string words;   // "partial[1]", "partial + 6", or "count" of one that has no elements
  // Returns "partial, byte 4 of 128", as the fact about it.
  std::string fact() const;
};
// `bytes` are accessed there. `element`: the bytes of one, 1 if only the access says it.
VariablePart part_of(const std::string& symbol, int64_t offset, uint64_t size, uint64_t element,
                     uint64_t bytes);

// Returns what lies at an address of shared memory, as the kernel computes it; nothing if no
// variable, or more than one, names it.
std::optional<VariablePart> shared_part(const device::CompiledCode& code,
                                        const device::LaunchShape& shape, uint64_t address,
                                        uint64_t bytes);
// The same of global memory: nothing if it is no module's variable.
std::optional<VariablePart> global_part(const memory::Allocation* allocation, uint64_t address,
                                        uint64_t bytes);

}  // namespace cuvette::check
