// SPDX-License-Identifier: Apache-2.0
// What an instruction's modifiers, types and operands must have to do with each other.
#pragma once

#include <string>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// What is wrong with an instruction of `body` whose operands are those that operands.def lists: a
// combination that PTX does not have, or that is not implemented. Empty: nothing.
std::string check_form(const Instruction& instruction, const Body& body);

}  // namespace cuvette::ptx
