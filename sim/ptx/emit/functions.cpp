// SPDX-License-Identifier: Apache-2.0
// Elementary functions, each within the error that the PTX manual allows it.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;

// 1 / sqrt(x): the processor's estimate of 14 bits and one step of Newton's in the form that loses
// least; zero and infinity are right in the estimate.
llvm::Value* Emitter::reciprocal_root(V* x) {
  llvm::Type* const own = x->getType();
  V* const one = ConstantFP::get(own, 1.0);
  if (input_.request.vectors != Vectors::avx512 || !own->isVectorTy())
    return builder_.CreateFDiv(one, intrinsic(llvm::Intrinsic::sqrt, {x}));
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

void Emitter::emit_float_function(const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(i);
  if (i.has("rz") || i.has("rm") || i.has("rp")) return emit_directed(i);
  const bool ftz = i.has("ftz") && type == Type::f32;
  const std::string_view op = i.opcode;
  if (op != "rcp" && op != "sqrt" && op != "rsqrt") return emit_transcendental(i);
  elementwise(i, {type}, type, [&](const std::vector<V*>& v) -> V* {
    V* const x = ftz ? flush(v[0]) : v[0];
    llvm::Type* const own = x->getType();
    V* result;
    if (op == "rcp")
      result = builder_.CreateFDiv(ConstantFP::get(own, 1.0), x);
    else if (op == "sqrt")
      result = intrinsic(llvm::Intrinsic::sqrt, {x});
    else if (type == Type::f32)
      result = reciprocal_root(x);
    else
      result =
          builder_.CreateFDiv(ConstantFP::get(own, 1.0), intrinsic(llvm::Intrinsic::sqrt, {x}));
    return ftz ? flush(result) : result;
  });
}

void Emitter::emit_transcendental(const Instruction& i) { unsupported(i); }

// Rounding towards zero, up or down.
void Emitter::emit_directed(const Instruction& i) { unsupported(i); }

// f16, bf16 and their pairs.
void Emitter::emit_small_floats(const Instruction& i) { unsupported(i); }

}  // namespace cuvette::ptx
