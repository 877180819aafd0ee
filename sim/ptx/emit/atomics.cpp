// SPDX-License-Identifier: Apache-2.0
// Atomic operations: lane after lane, since two lanes may meet at one address.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::emit_atomic(const Instruction& i) { unsupported(i); }

}  // namespace cuvette::ptx
