// SPDX-License-Identifier: Apache-2.0
// Floating-point code that several groups of instructions share.
#pragma once

#include <vector>

#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

V* flush_bits(WarpBuilder& w,
              V* bits);  // f32 as bits: subnormal numbers become zeros of their sign
V* flush(WarpBuilder& w, V* number);
V* saturate(WarpBuilder& w, V* number);
V* fused(WarpBuilder& w, V* a, V* b, V* c);
void emit_float_sign(WarpBuilder& w, const Instruction& i);

// .rz, .rm, .rp (rounding.cpp)
void emit_directed(WarpBuilder& w, const Instruction& i);
V* directed(WarpBuilder& w, Opcode operation, Rounding rounding, const std::vector<V*>& operands);

// f16 and bf16 (small_floats.cpp)
void emit_small_floats(WarpBuilder& w, const Instruction& i);
V* flush_small(WarpBuilder& w, V* bits, const Format& format);
V* odd_sum(WarpBuilder& w, V* a, V* b);

// Functions of f32 numbers (transcendental.cpp)
void emit_transcendental(WarpBuilder& w, const Instruction& i);
V* exponential(WarpBuilder& w, V* x);  // 2^x
V* hyperbolic_tangent(WarpBuilder& w, V* x);
V* gross(WarpBuilder& w, const Instruction& i, V* x);  // rcp.approx.ftz.f64, rsqrt.approx.ftz.f64

// Computes 16 bits from the 16 bits of each operand, for each half where there are two.
template <typename F>
void each_small(WarpBuilder& w, const Instruction& i, Type type, const F& compute) {
  const bool pair = size_of(type) == 4;
  const auto both = [&](const std::vector<V*>& v) -> V* {
    if (!pair) return compute(v);
    std::vector<V*> low, high;
    for (V* const value : v) {
      llvm::Type* const half = like(w, value, w.getInt16Ty());
      low.push_back(w.CreateTrunc(value, half));
      high.push_back(
          w.CreateTrunc(w.CreateLShr(value, llvm::ConstantInt::get(value->getType(), 16)), half));
    }
    llvm::Type* const own = v[0]->getType();
    V* const lower = w.CreateZExt(compute(low), own);
    V* const upper = w.CreateZExt(compute(high), own);
    return w.CreateOr(lower, w.CreateShl(upper, llvm::ConstantInt::get(own, 16)));
  };
  const Type bits = pair ? Type::b32 : Type::b16;
  if (i.operands.size() == 2) return w.elementwise(i, {bits}, bits, both);
  if (i.operands.size() == 3) return w.elementwise(i, {bits, bits}, bits, both);
  w.elementwise(i, {bits, bits, bits}, bits, both);
}

}  // namespace cuvette::ptx
