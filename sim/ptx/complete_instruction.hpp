// SPDX-License-Identifier: Apache-2.0
// From an instruction as it is written to what those who compile it know.
#pragma once

#include <optional>
#include <string>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// The address that an instruction accesses; null: it has none, or has no spaces to choose from.
const Operand* address_of(const Instruction& instruction);

// Puts the instruction into the body, or those that it is made of. `named`: the space of the
// variable that its address names. Empty: nothing is wrong with it.
std::string complete_instruction(Instruction& instruction, std::optional<Space> named, Body& body);

}  // namespace cuvette::ptx
