// SPDX-License-Identifier: Apache-2.0
// Turns an instruction as it is written into the form that the compiler works with.
#pragma once

#include <optional>
#include <string>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Returns the address operand of ld, ldu, st, atom or red; null if there is none.
const Operand* address_of(const Instruction& instruction);

// Adds the instruction, or its expansion, to the body. `named`: the space of the variable that its
// address names. Returns what is wrong with it; empty if nothing is.
std::string complete_instruction(Instruction& instruction, std::optional<Space> named, Body& body);

}  // namespace cuvette::ptx
