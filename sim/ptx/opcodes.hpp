// SPDX-License-Identifier: Apache-2.0
// Which instructions and modifiers there are (opcodes.def).
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

enum class Opcode : uint8_t {
#define OPCODE(name, modifiers) op_##name,
#include "sim/ptx/opcodes.def"
#undef OPCODE
};

// Whether `word` is one of those in `list`, which blanks part.
bool lists(std::string_view list, std::string_view word);

std::optional<Opcode> opcode_named(std::string_view base);

// Cuts `instruction.text` up into opcode, modifiers and types. Empty: it is one that Cuvette runs;
// otherwise a sentence that says what is not.
std::string split_opcode(Instruction& instruction);

// The same question, remembered for each text that was asked before.
std::string check_opcode(std::string_view text);

}  // namespace cuvette::ptx
