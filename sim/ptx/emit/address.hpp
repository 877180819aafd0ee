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

// An access's properties, as the instruction states them.
Space space_of(const Instruction& i, const Operand& address);
uint32_t vector_length(const Instruction& i);
uint32_t bytes_accessed(const Instruction& i);
uint32_t kind_of_access(Space space);  // access_generic and so on (abi.hpp)
// A strong access is neither moved nor left out by the compiler.
bool is_strong(const Instruction& i);

// The scope that an instruction names, or `otherwise`.
Scope scope_of(const Instruction& i, Scope otherwise);
// The ordering of an access: access_strong and so on (abi.hpp).
uint32_t ordering_of(const Instruction& i);

Address address_of(WarpBuilder& w, const Operand& operand, Space space);
// Returns the address without its step, for a line that is known not to overflow its type.
Address without_step(const Address& address);
V* pointer(WarpBuilder& w, const Address& address, V* scalar, uint64_t offset);
V* pointers(WarpBuilder& w, const Address& address, uint64_t offset);  // <32 x ptr>
// The lanes' addresses, or offsets where they name those, in the form that the machine gets: <32 x
// i64>.
V* numbers(WarpBuilder& w, const Address& address);

// Whether testing both ends of a line tests all of it.
bool is_tested_by_ends(const Address& address, uint32_t bytes);
// Returns an i1: whether an access of `bytes` at the address, or a row of them up to one that
// begins `length` bytes later, leaves the memory that it may touch.
V* lies_outside(WarpBuilder& w, const Address& address, uint32_t bytes, uint64_t length);
// Asks the machine about an access that lies outside, and leaves the warp if it says no.
void ask(WarpBuilder& w, const Address& address, uint32_t access, V* location);
// Describes a line to the machine: everything except its base.
V* line(WarpBuilder& w, const Value& value, int half, uint32_t access);

// The lanes' addresses in the form of watch_line() in abi.hpp.
struct LineOfLanes {
  V *begin, *middle, *stride;
};
// Calls `line` where the addresses lie on a line, otherwise `each` with an array of them: one of
// the two, or both where it is only known at run time.
void by_line(WarpBuilder& w, const Address& address,
             const std::function<void(const LineOfLanes&)>& line,
             const std::function<void(V* places)>& each);

// The reads that a line is to be quiet about: plain reads, and reads of uninitialised memory.
enum class Quiet { read, written, both };
// Fetches the memory while others ask about it: a watched warp runs alone, so that it comes to new
// pages all the time.
void fetch_early(WarpBuilder& w, const Address& address);
// Returns an i1: whether all lines of the access are quiet; null where that is not asked.
V* is_quiet(WarpBuilder& w, const Address& address, uint32_t bytes, Quiet what);

}  // namespace cuvette::ptx
