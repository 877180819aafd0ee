// SPDX-License-Identifier: Apache-2.0
// Splits an instruction's text, "ld.global.nc.v4.f32", into opcode, modifiers and types. Later
// stages compare no text.
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Splits `instruction.text`. Returns an empty string if Cuvette runs the instruction, otherwise a
// sentence that says what is wrong.
std::string split_opcode(Instruction& instruction);

// The same question, remembered for each text that was asked before.
std::string check_opcode(std::string_view text);

}  // namespace cuvette::ptx
