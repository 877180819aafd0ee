// SPDX-License-Identifier: Apache-2.0
// Instructions where lanes wait: in loops until somebody does something, and for each other.
//
// Lanes that have left a loop in which others spin go on without those, which may wait for them;
// but never beyond an instruction that all lanes of the warp execute together. Blocks of code begin
// there, so that a region of lanes that went apart can end there.
#pragma once

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// A loop with this in it may wait for what another thread does.
bool may_wait(const Instruction& instruction);

// It is done when all lanes of the warp have come to it.
bool gathers(const Instruction& instruction);

}  // namespace cuvette::ptx
