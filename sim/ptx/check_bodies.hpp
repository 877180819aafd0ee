// SPDX-License-Identifier: Apache-2.0
// What is asked of the bodies of a module when it is loaded, and what a kernel's memory comes to.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Whether the machine itself provides a function of this name.
bool is_system_call(std::string_view name);

// A module with less PTX than this is read as a whole when it is loaded. With more, a program uses
// a few of many kernels, as a rule, and reading them all would cost more than those: their opcodes
// are looked at, and a body is read when somebody wants it.
constexpr size_t read_all_below = 256 << 10;

// False at the first mistake in a body; also at a call of a function that is declared and defined
// nowhere, unless the module is `linked_later`.
bool check_bodies(const Module& module, bool linked_later, Diagnostic& diagnostic);

// The memory that a kernel and all that it may call declare.
struct DeclaredMemory {
  uint64_t shared = 0;  // bytes of each block, without what the launch adds
  uint64_t local = 0;   // of each thread
};
// False at a mistake in a body.
bool declared_memory(const Module& module, const Function& kernel, DeclaredMemory& memory,
                     Diagnostic& diagnostic);

// How many registers of 32 bits a thread of the kernel uses: those that are live at once at most,
// in the kernel and in the most demanding function that it may call. It is the text's alone, so
// that compiling changes nothing. False at a mistake in a body.
bool count_registers(const Module& module, const Function& kernel, uint32_t& registers,
                     Diagnostic& diagnostic);

}  // namespace cuvette::ptx
