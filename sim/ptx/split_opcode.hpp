// SPDX-License-Identifier: Apache-2.0
// From an instruction's text, "ld.global.nc.v4.f32", to opcode, modifiers and types. Nothing behind
// here compares text.
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Cuts `instruction.text` up. Empty: it is an instruction that Cuvette runs; otherwise a sentence
// that says what is not.
std::string split_opcode(Instruction& instruction);

// The same question, remembered for each text that was asked before.
std::string check_opcode(std::string_view text);

}  // namespace cuvette::ptx
