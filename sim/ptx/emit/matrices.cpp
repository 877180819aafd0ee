// SPDX-License-Identifier: Apache-2.0
// Products of small matrices that a warp holds together.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::emit_matrix(const Instruction& i) { unsupported(i); }

}  // namespace cuvette::ptx
