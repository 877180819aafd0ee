// SPDX-License-Identifier: Apache-2.0
// Elementary functions, each within the error that the PTX manual allows it.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/lanes.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/special_functions.hpp"

namespace cuvette::ptx {
namespace {

llvm::Value* reciprocal_root_avx2(WarpBuilder& w, V* given);

}  // namespace

using llvm::ConstantFP;

namespace {

// 1 / sqrt(x): the processor's estimate and one step towards the root, in the form that loses
// least; zero and infinity are right in the estimate. AVX-512's estimate has 14 bits and knows
// subnormal numbers, AVX's has 12, so that its step takes another power of the error.
llvm::Value* reciprocal_root(WarpBuilder& w, V* x) {
  llvm::Type* const own = x->getType();
  V* const one = ConstantFP::get(own, 1.0);
  if (w.input().request.vectors == Vectors::sse || !own->isVectorTy())
    return w.CreateFDiv(one, w.intrinsic(llvm::Intrinsic::sqrt, {x}));
  if (w.input().request.vectors == Vectors::avx2) return reciprocal_root_avx2(w, x);
  llvm::VectorType* const half = w.vector_type(w.getFloatTy(), 16);
  V* parts[2];
  for (int p = 0; p < 2; ++p) {
    int order[16];
    for (int lane = 0; lane < 16; ++lane) order[lane] = 16 * p + lane;
    V* const part = w.CreateShuffleVector(x, order);
    parts[p] = w.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                                 {part, llvm::Constant::getNullValue(half), w.getInt16(0xffff)});
  }
  int all[32];
  for (int lane = 0; lane < 32; ++lane) all[lane] = lane;
  V* const y = w.CreateShuffleVector(parts[0], parts[1], all);
  V* const e = fused(w, w.CreateFNeg(w.CreateFMul(x, y)), y, one);
  V* const better = fused(w, w.CreateFMul(y, e), ConstantFP::get(own, 0.5), y);
  // The step would spoil an estimate that is 0, infinite or NaN.
  V* const finite = w.CreateAnd(w.CreateFCmpOGT(x, ConstantFP::get(own, 0.0)),
                                w.CreateFCmpOLT(x, ConstantFP::getInfinity(own)));
  return w.CreateSelect(finite, better, y);
}

llvm::Value* reciprocal_root_avx2(WarpBuilder& w, V* given) {
  llvm::Type* const own = given->getType();
  const auto number = [&](double value) { return ConstantFP::get(own, value); };
  V* const small = w.CreateFCmpOLT(given, number(0x1p-126));
  V* const x = w.CreateFMul(given, w.CreateSelect(small, number(0x1p48), number(1.0)));
  V* parts[4];
  for (int p = 0; p < 4; ++p) {
    int order[8];
    for (int lane = 0; lane < 8; ++lane) order[lane] = 8 * p + lane;
    parts[p] = w.CreateIntrinsic(llvm::Intrinsic::x86_avx_rsqrt_ps_256, {},
                                 {w.CreateShuffleVector(x, order)});
  }
  V* const y =
      concatenate(w, concatenate(w, parts[0], parts[1]), concatenate(w, parts[2], parts[3]));
  V* const e = fused(w, w.CreateFNeg(w.CreateFMul(x, y)), y, number(1.0));
  V* const step = w.CreateFMul(e, fused(w, e, number(0.375), number(0.5)));
  V* const better = fused(w, y, step, y);
  V* const finite = w.CreateAnd(w.CreateFCmpOGT(x, number(0.0)),
                                w.CreateFCmpOLT(x, ConstantFP::getInfinity(own)));
  V* const root = w.CreateSelect(finite, better, y);
  return w.CreateFMul(root, w.CreateSelect(small, number(0x1p24), number(1.0)));
}

}  // namespace

void emit_float_function(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(w, i);
  if (i.has(dot::rz) || i.has(dot::rm) || i.has(dot::rp)) return emit_directed(w, i);
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  const Opcode op = i.opcode;
  if (op != Opcode::rcp && op != Opcode::sqrt && op != Opcode::rsqrt)
    return emit_transcendental(w, i);
  w.elementwise(i, {type}, type, [&](const std::vector<V*>& v) -> V* {
    if (type == Type::f64 && i.has(dot::approx) && i.has(dot::ftz)) return gross(w, i, v[0]);
    V* const x = ftz ? flush(w, v[0]) : v[0];
    if (type == Type::f32 && i.has(dot::approx) && w.input().request.approx == Approx::hardware)
      return special_function(w, i, x);
    V* const one = ConstantFP::get(x->getType(), 1.0);
    V* result;
    if (op == Opcode::rcp)
      result = w.CreateFDiv(one, x);
    else if (op == Opcode::sqrt)
      result = w.intrinsic(llvm::Intrinsic::sqrt, {x});
    else if (type == Type::f32)
      result = reciprocal_root(w, x);
    else
      result = w.CreateFDiv(one, w.intrinsic(llvm::Intrinsic::sqrt, {x}));
    if (type == Type::f32) result = canonical(w, result);
    return ftz ? flush(w, result) : result;
  });
}

}  // namespace cuvette::ptx
