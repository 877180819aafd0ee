// SPDX-License-Identifier: Apache-2.0
// Calls of what the machine provides, and ends before the end.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::emit_call(const Instruction& i) { unsupported(i); }

void Emitter::emit_trap(const Instruction& i) {
  const size_t helper =
      i.opcode == "trap" ? offsetof(Helpers, trap) : offsetof(Helpers, breakpoint);
  V* const status = call_helper(helper, builder_.getInt32Ty(), function_->getArg(0), active_bits(),
                                warp_, location());
  when(builder_.CreateICmpNE(status, i32(0)), [&] { fail_warp(status); });
}

// Others have their turn.
void Emitter::emit_nanosleep(const Instruction& i) {
  if (needs_frames_) suspend(Status::yielded, live_behind(block_, instruction_));
}

}  // namespace cuvette::ptx
