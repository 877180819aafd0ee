// SPDX-License-Identifier: Apache-2.0
// Whether an instruction has the operands that the table of operands.def gives it.
//
// Threads: plain functions.
#pragma once

#include <string>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Empty: they are right; otherwise a sentence that says which is not. `body` has the registers.
std::string check_operands(const Instruction& instruction, const Body& body);

}  // namespace cuvette::ptx
