// SPDX-License-Identifier: Apache-2.0
// Checks that an instruction has the operands that opcodes.def lists for it.
//
// Threads: plain functions.
#pragma once

#include <string>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Returns a sentence about the first wrong operand, or an empty one. `body` has the registers.
std::string check_operands(const Instruction& instruction, const Body& body);

}  // namespace cuvette::ptx
