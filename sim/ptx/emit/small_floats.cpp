// SPDX-License-Identifier: Apache-2.0
// f16 and bf16, one or two in a register. They are computed in a wider format that loses nothing
// before the one rounding at the end: f32 for sums and products, f64 where both come together.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

llvm::Value* Emitter::flush_small(V* bits, const Format& format) {
  llvm::Type* const own = bits->getType();
  V* const zero = llvm::Constant::getNullValue(own);
  V* const exponent = builder_.CreateAnd(bits, ConstantInt::get(own, format.infinity()));
  return builder_.CreateSelect(builder_.CreateICmpEQ(exponent, zero),
                               builder_.CreateAnd(bits, ConstantInt::get(own, format.sign())),
                               bits);
}

// a + b in f64 such that a later rounding to fewer digits comes out as if nothing had been lost:
// where the sum is not exact its last digit is odd.
llvm::Value* Emitter::odd_sum(V* a, V* b) {
  V* const sum = builder_.CreateFAdd(a, b);
  V* const b_part = builder_.CreateFSub(sum, a);
  V* const a_part = builder_.CreateFSub(sum, b_part);
  V* const error =
      builder_.CreateFAdd(builder_.CreateFSub(a, a_part), builder_.CreateFSub(b, b_part));
  llvm::Type* const whole_type = like(sum, builder_.getInt64Ty());
  V* const bits = builder_.CreateBitCast(sum, whole_type);
  V* const one = ConstantInt::get(whole_type, 1);
  V* const zero = ConstantInt::get(whole_type, 0);
  // An infinity's error is none, which compares as neither.
  V* const lost = builder_.CreateFCmpONE(error, ConstantFP::get(error->getType(), 0.0));
  V* const even = builder_.CreateICmpEQ(builder_.CreateAnd(bits, one), zero);
  V* const towards_zero = builder_.CreateICmpSLT(
      builder_.CreateXor(bits, builder_.CreateBitCast(error, whole_type)), zero);
  V* const odd = builder_.CreateAdd(
      bits, builder_.CreateSelect(towards_zero, llvm::Constant::getAllOnesValue(whole_type), one));
  V* const adjusted = builder_.CreateSelect(builder_.CreateAnd(lost, even), odd, bits);
  return builder_.CreateBitCast(adjusted, sum->getType());
}

llvm::Value* Emitter::small_arithmetic(const Instruction& i, const std::vector<V*>& bits,
                                       Type type) {
  const Format format = format_of(type);
  std::vector<V*> v;
  for (V* const one : bits)
    v.push_back(widen(i.has(dot::ftz) ? flush_small(one, format) : one, format));
  V* result;
  if (i.opcode == Opcode::add) {
    result = builder_.CreateFAdd(v[0], v[1]);
  } else if (i.opcode == Opcode::sub) {
    result = builder_.CreateFSub(v[0], v[1]);
  } else if (i.opcode == Opcode::mul) {
    result = builder_.CreateFMul(v[0], v[1]);
  } else {
    llvm::Type* const wide = like(v[0], builder_.getDoubleTy());
    V* const product =
        builder_.CreateFMul(builder_.CreateFPExt(v[0], wide), builder_.CreateFPExt(v[1], wide));
    V* const addend = builder_.CreateFPExt(v[2], wide);
    // A sum of f16 has digits enough; one of bf16 may be too wide.
    result = type == Type::f16 ? builder_.CreateFAdd(product, addend) : odd_sum(product, addend);
  }
  if (i.has(dot::sat)) result = saturate(result);
  if (i.has(dot::ftz)) result = flushed_result(result, format, Rounding::nearest);
  V* const rounded = narrow(result, format, Rounding::nearest, false);
  return i.has(dot::relu) ? rectified(rounded, format) : rounded;
}

// As f32 ones, with their rules for NaN and zero. .xorsign.abs: of the magnitudes, with the sign of
// the product.
llvm::Value* Emitter::small_min_max(const Instruction& i, const std::vector<V*>& bits, Type type) {
  const Format format = format_of(type);
  const bool least = i.opcode == Opcode::min;
  llvm::Type* const own = bits[0]->getType();
  std::vector<V*> v = bits;
  if (i.has(dot::ftz))
    for (V*& one : v) one = flush_small(one, format);
  V* const sign_bit = ConstantInt::get(own, format.sign());
  V* const sign = builder_.CreateAnd(builder_.CreateXor(v[0], v[1]), sign_bit);
  if (i.has(dot::xorsign))
    for (V*& one : v) one = builder_.CreateAnd(one, builder_.CreateNot(sign_bit));
  V* const a = widen(v[0], format);
  V* const b = widen(v[1], format);
  V* const less = least ? builder_.CreateFCmpOLT(a, b) : builder_.CreateFCmpOGT(a, b);
  V* picked = builder_.CreateSelect(less, v[0], v[1]);
  V* const both = least ? builder_.CreateOr(v[0], v[1]) : builder_.CreateAnd(v[0], v[1]);
  picked = builder_.CreateSelect(builder_.CreateFCmpOEQ(a, b), both, picked);
  V* const a_nan = builder_.CreateFCmpUNO(a, a);
  V* const b_nan = builder_.CreateFCmpUNO(b, b);
  if (!i.has(dot::NaN))
    picked = builder_.CreateSelect(b_nan, v[0], builder_.CreateSelect(a_nan, v[1], picked));
  if (i.has(dot::xorsign)) picked = builder_.CreateOr(picked, sign);
  V* const none =
      i.has(dot::NaN) ? builder_.CreateOr(a_nan, b_nan) : builder_.CreateAnd(a_nan, b_nan);
  return builder_.CreateSelect(none, ConstantInt::get(own, format.nan()), picked);
}

llvm::Value* Emitter::small_function(const Instruction& i, V* bits, Type type) {
  const Format format = format_of(type);
  V* const x = widen(i.has(dot::ftz) ? flush_small(bits, format) : bits, format);
  V* const result = i.opcode == Opcode::ex2 ? exponential(x) : hyperbolic_tangent(x);
  V* const rounded = narrow(result, format, Rounding::nearest, false);
  return i.has(dot::ftz) ? flush_small(rounded, format) : rounded;
}

void Emitter::emit_small_floats(const Instruction& i) {
  const Type type = i.type();
  // Two types: operands of different widths.
  if (!is_small(type) || i.types.size() > 1 || i.has(dot::oob) || i.has(dot::rz) ||
      i.has(dot::rm) || i.has(dot::rp))
    return unsupported(i);
  const Type one = single_of(type);
  const Opcode op = i.opcode;
  if (op == Opcode::min || op == Opcode::max) {
    if (i.operands.size() != 3) return unsupported(i);
    return each_small(i, type, [&](const std::vector<V*>& v) { return small_min_max(i, v, one); });
  }
  if (op == Opcode::ex2 || op == Opcode::tanh)
    return each_small(i, type,
                      [&](const std::vector<V*>& v) { return small_function(i, v[0], one); });
  if (op == Opcode::add || op == Opcode::sub || op == Opcode::mul || op == Opcode::fma)
    return each_small(i, type,
                      [&](const std::vector<V*>& v) { return small_arithmetic(i, v, one); });
  unsupported(i);
}

}  // namespace cuvette::ptx
