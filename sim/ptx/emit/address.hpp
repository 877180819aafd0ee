// SPDX-License-Identifier: Apache-2.0
// Where an access leads: an operand's address in each lane, and how the lanes' addresses lie.
#pragma once

#include <functional>

#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

// The lanes' addresses in memory, or their offsets in shared or local memory.
struct Address {
  Space space = Space::global;
  Value value;                // 64-bit addresses, or 32-bit offsets
  V* base = nullptr;          // a pointer that offsets count from
  V* lane_offsets = nullptr;  // what is to be added for each lane, in the threads' own memory
};

// What an instruction says of its access.
Space space_of(const Instruction& i, const Operand& address);
uint32_t vector_length(const Instruction& i);
uint32_t bytes_accessed(const Instruction& i);
uint32_t kind_of_access(Space space);  // access_generic and so on (abi.hpp)
// A strong access is neither moved nor left out by the compiler.
bool is_strong(const Instruction& i);

Address address_of(WarpBuilder& w, const Operand& operand, Space space);
// Where a line is known not to have run over its end.
Address without_step(const Address& address);
V* pointer(WarpBuilder& w, const Address& address, V* scalar, uint64_t offset);
V* pointers(WarpBuilder& w, const Address& address, uint64_t offset);  // <32 x ptr>

// Whether a test of both ends of a line is a test of it.
bool is_tested_by_ends(const Address& address, uint32_t bytes);
// Whether an access of `bytes` there, or of a row of them that ends with one `length` bytes on,
// leaves what it may touch: an i1.
V* lies_outside(WarpBuilder& w, const Address& address, uint32_t bytes, uint64_t length);
// Asks the machine about an access that lies outside, and leaves the warp if it says no.
void ask(WarpBuilder& w, const Address& address, uint32_t access, V* location);
// What the machine is told of a line beside its base.
V* line(WarpBuilder& w, const Value& value, int half, uint32_t access);

}  // namespace cuvette::ptx
