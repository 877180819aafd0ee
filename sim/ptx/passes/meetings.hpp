// SPDX-License-Identifier: Apache-2.0
// Instructions where lanes wait: in loops for what other threads do, and for each other.
//
// Lanes that have left a loop go on without the lanes that still spin in it, which may be waiting
// for them, but never past an instruction that they execute together. Such instructions begin
// basic blocks: a divergent region can end where the whole warp meets; elsewhere a lane waits if
// its mask names a lane that spins.
#pragma once

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Returns whether the instruction exists to wait for another thread. A loop that contains one
// spins, as do the loops that find_waits() finds.
bool may_wait(const Instruction& instruction);

// Which lanes must have arrived before an instruction executes.
enum class Meeting { none, all, members };  // members: the lanes that its last operand names
Meeting meeting_of(const Instruction& instruction);

// Returns whether threads wait there for other warps of the block, and so for all threads of their
// own warp that have not ended (PTX ISA, barrier), wherever these come to a barrier.
bool is_barrier_of_block(const Instruction& instruction);

}  // namespace cuvette::ptx
