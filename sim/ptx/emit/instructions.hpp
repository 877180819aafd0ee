// SPDX-License-Identifier: Apache-2.0
// The groups of instructions, each in its own file. A function emits one instruction of its
// group; functions that access memory take the accesses of the block, the others a WarpBuilder
// alone.
#pragma once

#include "sim/ptx/emit/memory_accesses.hpp"
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

// Any instruction except the end of a block (RegionWalker), with its predicate or without.
void emit(MemoryAccesses& memory, const Instruction& i);
void emit_plain(MemoryAccesses& memory, const Instruction& i);

// asynchronous.cpp
void emit_cluster(WarpBuilder& w, const Instruction& i);
void emit_async_copy(MemoryAccesses& memory, const Instruction& i);
void emit_mbarrier(MemoryAccesses& memory, const Instruction& i);

// atomics.cpp
void emit_atomic(MemoryAccesses& memory, const Instruction& i);

// bits.cpp
void emit_count(WarpBuilder& w, const Instruction& i);
void emit_bit_field(WarpBuilder& w, const Instruction& i);
void emit_dot_product(WarpBuilder& w, const Instruction& i);

// calls.cpp
void emit_call(WarpBuilder& w, const Instruction& i);
void emit_trap(WarpBuilder& w, const Instruction& i);
void emit_wild_call(WarpBuilder& w, const Instruction& i);
void emit_nanosleep(WarpBuilder& w, const Instruction& i);

// conversions.cpp
void emit_cvt(WarpBuilder& w, const Instruction& i);

// floats.cpp
void emit_float_arithmetic(WarpBuilder& w, const Instruction& i);
void emit_float_division(WarpBuilder& w, const Instruction& i);
void emit_float_min_max(WarpBuilder& w, const Instruction& i);
void emit_float_test(WarpBuilder& w, const Instruction& i);

// functions.cpp
void emit_float_function(WarpBuilder& w, const Instruction& i);

// integers.cpp
void emit_carry(WarpBuilder& w, const Instruction& i);
void emit_add_sub(WarpBuilder& w, const Instruction& i);
void emit_mul_mad(WarpBuilder& w, const Instruction& i);
void emit_mul24(WarpBuilder& w, const Instruction& i);
void emit_sad(WarpBuilder& w, const Instruction& i);
void emit_div_rem(WarpBuilder& w, const Instruction& i);
void emit_abs_neg(WarpBuilder& w, const Instruction& i);
void emit_min_max(WarpBuilder& w, const Instruction& i);

// logic.cpp
void emit_set(WarpBuilder& w, const Instruction& i);
void emit_select(WarpBuilder& w, const Instruction& i);
void emit_logic(WarpBuilder& w, const Instruction& i);

// matrices.cpp
void emit_matrix(MemoryAccesses& memory, const Instruction& i);

// loads_and_stores.cpp
void emit_load(MemoryAccesses& memory, const Instruction& i);
void emit_store(MemoryAccesses& memory, const Instruction& i);
void emit_fence(MemoryAccesses& memory, const Instruction& i);

// taint.cpp
void emit_taint(MemoryAccesses& memory, const Instruction& i);

// variable_bounds.cpp
void emit_inside(MemoryAccesses& memory, const Instruction& i);

// moves.cpp
void emit_mov(WarpBuilder& w, const Instruction& i);
void emit_cvta(WarpBuilder& w, const Instruction& i);
void emit_isspacep(WarpBuilder& w, const Instruction& i);
void emit_ownlocal(WarpBuilder& w, const Instruction& i);

// shifts.cpp
void emit_shift(WarpBuilder& w, const Instruction& i);
void emit_permute(WarpBuilder& w, const Instruction& i);

// textures.cpp
void emit_texture(WarpBuilder& w, const Instruction& i);
void emit_surface(WarpBuilder& w, const Instruction& i);
void emit_texture_query(WarpBuilder& w, const Instruction& i);

// video.cpp
void emit_video(WarpBuilder& w, const Instruction& i);

// video_single.cpp
void emit_video_single(WarpBuilder& w, const Instruction& i);

// warps.cpp
void emit_barrier(MemoryAccesses& memory, const Instruction& i);
// Writes the result of bar.red, which is a number.
void write_reduced(WarpBuilder& w, const Instruction& i, V* result);
// For each lane of a shuffle: the lane whose value it takes, its own unless that lies within the
// segment; and whether it does.
struct ShuffleSources {
  V *from, *inside;
};
ShuffleSources sources_of_shuffle(WarpBuilder& w, const Instruction& i);
void emit_shuffle(WarpBuilder& w, const Instruction& i);
void emit_vote(WarpBuilder& w, const Instruction& i);
void emit_match(WarpBuilder& w, const Instruction& i);
void emit_redux(WarpBuilder& w, const Instruction& i);

}  // namespace cuvette::ptx
