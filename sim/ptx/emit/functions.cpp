// SPDX-License-Identifier: Apache-2.0
// Elementary functions, each within the error that the PTX manual allows it.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;

// 1 / sqrt(x): the processor's estimate and one step towards the root, in the form that loses
// least; zero and infinity are right in the estimate. That of AVX-512 has 14 bits and knows
// subnormal numbers, that of AVX 12, so that its step takes another power of the error.
llvm::Value* Emitter::reciprocal_root(V* x) {
  llvm::Type* const own = x->getType();
  V* const one = ConstantFP::get(own, 1.0);
  if (input_.request.vectors == Vectors::sse || !own->isVectorTy())
    return builder_.CreateFDiv(one, intrinsic(llvm::Intrinsic::sqrt, {x}));
  if (input_.request.vectors == Vectors::avx2) return reciprocal_root_avx2(x);
  llvm::VectorType* const half = vector_type(builder_.getFloatTy(), 16);
  V* parts[2];
  for (int p = 0; p < 2; ++p) {
    int order[16];
    for (int lane = 0; lane < 16; ++lane) order[lane] = 16 * p + lane;
    V* const part = builder_.CreateShuffleVector(x, order);
    parts[p] = builder_.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
        {part, llvm::Constant::getNullValue(half), builder_.getInt16(0xffff)});
  }
  int all[32];
  for (int lane = 0; lane < 32; ++lane) all[lane] = lane;
  V* const y = builder_.CreateShuffleVector(parts[0], parts[1], all);
  V* const e = fused(builder_.CreateFNeg(builder_.CreateFMul(x, y)), y, one);
  V* const better = fused(builder_.CreateFMul(y, e), ConstantFP::get(own, 0.5), y);
  // Where the estimate is 0, infinite or no number the step would spoil it.
  V* const finite = builder_.CreateAnd(builder_.CreateFCmpOGT(x, ConstantFP::get(own, 0.0)),
                                       builder_.CreateFCmpOLT(x, ConstantFP::getInfinity(own)));
  return builder_.CreateSelect(finite, better, y);
}

llvm::Value* Emitter::reciprocal_root_avx2(V* given) {
  llvm::Type* const own = given->getType();
  const auto number = [&](double value) { return ConstantFP::get(own, value); };
  V* const small = builder_.CreateFCmpOLT(given, number(0x1p-126));
  V* const x =
      builder_.CreateFMul(given, builder_.CreateSelect(small, number(0x1p48), number(1.0)));
  V* parts[4];
  for (int p = 0; p < 4; ++p) {
    int order[8];
    for (int lane = 0; lane < 8; ++lane) order[lane] = 8 * p + lane;
    parts[p] = builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx_rsqrt_ps_256, {},
                                        {builder_.CreateShuffleVector(x, order)});
  }
  V* const y = concatenate(concatenate(parts[0], parts[1]), concatenate(parts[2], parts[3]));
  V* const e = fused(builder_.CreateFNeg(builder_.CreateFMul(x, y)), y, number(1.0));
  V* const step = builder_.CreateFMul(e, fused(e, number(0.375), number(0.5)));
  V* const better = fused(y, step, y);
  V* const finite = builder_.CreateAnd(builder_.CreateFCmpOGT(x, number(0.0)),
                                       builder_.CreateFCmpOLT(x, ConstantFP::getInfinity(own)));
  V* const root = builder_.CreateSelect(finite, better, y);
  return builder_.CreateFMul(root, builder_.CreateSelect(small, number(0x1p24), number(1.0)));
}

void Emitter::emit_float_function(const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(i);
  if (i.has(dot::rz) || i.has(dot::rm) || i.has(dot::rp)) return emit_directed(i);
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  const Opcode op = i.opcode;
  if (op != Opcode::rcp && op != Opcode::sqrt && op != Opcode::rsqrt) return emit_transcendental(i);
  elementwise(i, {type}, type, [&](const std::vector<V*>& v) -> V* {
    if (type == Type::f64 && i.has(dot::approx) && i.has(dot::ftz)) return gross(i, v[0]);
    V* const x = ftz ? flush(v[0]) : v[0];
    V* const one = ConstantFP::get(x->getType(), 1.0);
    V* result;
    if (op == Opcode::rcp)
      result = builder_.CreateFDiv(one, x);
    else if (op == Opcode::sqrt)
      result = intrinsic(llvm::Intrinsic::sqrt, {x});
    else if (type == Type::f32)
      result = reciprocal_root(x);
    else
      result = builder_.CreateFDiv(one, intrinsic(llvm::Intrinsic::sqrt, {x}));
    if (type == Type::f32) result = canonical(result);
    return ftz ? flush(result) : result;
  });
}

}  // namespace cuvette::ptx
