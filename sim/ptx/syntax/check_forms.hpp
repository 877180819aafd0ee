// SPDX-License-Identifier: Apache-2.0
// Checks that an instruction's modifiers, types and operands fit together.
#pragma once

#include <string>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Returns what is wrong with an instruction of `body` whose operands match opcodes.def: a
// combination that PTX does not have, or that is not implemented. Empty: nothing is wrong.
std::string check_form(const Instruction& instruction, const Body& body);

}  // namespace cuvette::ptx
