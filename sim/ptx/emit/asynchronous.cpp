// SPDX-License-Identifier: Apache-2.0
// Copies that complete later, and the barriers in memory that say when.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::emit_async_copy(const Instruction& i) { unsupported(i); }
void Emitter::emit_mbarrier(const Instruction& i) { unsupported(i); }
void Emitter::emit_cluster(const Instruction& i) { unsupported(i); }

}  // namespace cuvette::ptx
