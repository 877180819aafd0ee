// SPDX-License-Identifier: Apache-2.0
// The kinds of matrix instructions, each in its own file.
#pragma once

#include "sim/ptx/emit/memory_accesses.hpp"

namespace cuvette::ptx {

void emit_matrix_rows(MemoryAccesses& memory, const Instruction& i);  // ldmatrix, stmatrix
void emit_matrix_transposed(WarpBuilder& w, const Instruction& i);
void emit_fragment(MemoryAccesses& memory, const Instruction& i);  // wmma.load, wmma.store
void emit_quad_product(WarpBuilder& w, const Instruction& i);

}  // namespace cuvette::ptx
