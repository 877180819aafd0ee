// SPDX-License-Identifier: Apache-2.0
// Instructions where lanes wait: in loops until somebody does something, and for each other.
//
// Lanes that have left a loop in which others spin go on without those, which may wait for them;
// but never beyond an instruction that they execute together. Blocks of code begin there: a region
// of lanes that went apart can end where all of the warp do, and elsewhere those wait that name
// one that spins.
#pragma once

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Made to wait for what another thread does: a loop with this in it spins, as do those of which
// find_waits() says so.
bool may_wait(const Instruction& instruction);

// Who has come to an instruction when it is done.
enum class Meeting { none, all, members };  // of those that its last operand names
Meeting meeting_of(const Instruction& instruction);

}  // namespace cuvette::ptx
