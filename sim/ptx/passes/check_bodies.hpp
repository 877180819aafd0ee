// SPDX-License-Identifier: Apache-2.0
// Checks the bodies of a module when it is loaded, and adds up the memory that a kernel needs.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Whether the machine itself provides a function of this name.
bool is_system_call(std::string_view name);

// Whether it is a function of NVIDIA's device runtime, by its name.
bool is_of_runtime(std::string_view name);

// A module with less PTX than this is read completely when it is loaded. A program usually runs
// only a few kernels of a larger one, and reading all of them would cost more than those few: only
// their opcodes are checked, and a body is read when it is first needed.
constexpr size_t read_all_below = 256 << 10;

// The state of a module's bodies: some may ask for what Cuvette lacks (Diagnostic::is_lacking()).
// Their kernels are refused when they are asked for, the others are not.
enum class BodyState : uint8_t { right, lacking, wrong };

// Checks the bodies of a module up to the first one that is wrong: also one with a call of a
// function that is declared but never defined, unless the module is `linked_later`. `diagnostic`
// is about the first body that is wrong, or else about the first that is lacking.
BodyState check_bodies(const Module& module, bool linked_later, Diagnostic& diagnostic);

// The memory declared by a kernel and by every function that it may call.
struct DeclaredMemory {
  uint64_t shared = 0;  // bytes of each block, without what the launch adds
  uint64_t local = 0;   // of each thread
};
// False at a mistake in one of these bodies, and at what is lacking in one.
bool declared_memory(const Module& module, const Function& kernel, DeclaredMemory& memory,
                     Diagnostic& diagnostic);

// Counts the 32-bit registers that a thread of the kernel uses: the most that are live at once in
// the kernel and in the most demanding function that it may call. The count depends on the text
// alone, so compiling does not change it. Returns false as declared_memory() does.
bool count_registers(const Module& module, const Function& kernel, uint32_t& registers,
                     Diagnostic& diagnostic);

}  // namespace cuvette::ptx
