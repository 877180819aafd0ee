// SPDX-License-Identifier: Apache-2.0
// Reading textures, reading and writing surfaces.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::emit_texture(const Instruction& i) { unsupported(i); }

}  // namespace cuvette::ptx
