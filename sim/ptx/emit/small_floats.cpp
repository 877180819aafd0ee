// SPDX-License-Identifier: Apache-2.0
// f16 and bf16, one or two in a register. They are computed in a wider format that loses nothing
// before the one rounding at the end: f32 for sums and products, f64 where both come together.
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/special_functions.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

llvm::Value* flush_small(WarpBuilder& w, V* bits, const Format& format) {
  llvm::Type* const own = bits->getType();
  V* const zero = llvm::Constant::getNullValue(own);
  V* const exponent = w.CreateAnd(bits, ConstantInt::get(own, format.infinity()));
  return w.CreateSelect(w.CreateICmpEQ(exponent, zero),
                        w.CreateAnd(bits, ConstantInt::get(own, format.sign())), bits);
}

// a + b in f64 such that a later rounding to fewer digits comes out as if nothing had been lost:
// where the sum is not exact its last digit is odd.
llvm::Value* odd_sum(WarpBuilder& w, V* a, V* b) {
  V* const sum = w.CreateFAdd(a, b);
  V* const b_part = w.CreateFSub(sum, a);
  V* const a_part = w.CreateFSub(sum, b_part);
  V* const error = w.CreateFAdd(w.CreateFSub(a, a_part), w.CreateFSub(b, b_part));
  llvm::Type* const whole_type = like(w, sum, w.getInt64Ty());
  V* const bits = w.CreateBitCast(sum, whole_type);
  V* const one = ConstantInt::get(whole_type, 1);
  V* const zero = ConstantInt::get(whole_type, 0);
  // An infinity's error is none, which compares as neither.
  V* const lost = w.CreateFCmpONE(error, ConstantFP::get(error->getType(), 0.0));
  V* const even = w.CreateICmpEQ(w.CreateAnd(bits, one), zero);
  V* const towards_zero =
      w.CreateICmpSLT(w.CreateXor(bits, w.CreateBitCast(error, whole_type)), zero);
  V* const odd = w.CreateAdd(
      bits, w.CreateSelect(towards_zero, llvm::Constant::getAllOnesValue(whole_type), one));
  V* const adjusted = w.CreateSelect(w.CreateAnd(lost, even), odd, bits);
  return w.CreateBitCast(adjusted, sum->getType());
}

namespace {

llvm::Value* small_arithmetic(WarpBuilder& w, const Instruction& i, const std::vector<V*>& bits,
                              Type type) {
  const Format format = format_of(type);
  std::vector<V*> v;
  for (V* const one : bits)
    v.push_back(widen(w, i.has(dot::ftz) ? flush_small(w, one, format) : one, format));
  V* result;
  if (i.opcode == Opcode::add) {
    result = w.CreateFAdd(v[0], v[1]);
  } else if (i.opcode == Opcode::sub) {
    result = w.CreateFSub(v[0], v[1]);
  } else if (i.opcode == Opcode::mul) {
    result = w.CreateFMul(v[0], v[1]);
  } else {
    llvm::Type* const wide = like(w, v[0], w.getDoubleTy());
    V* const product = w.CreateFMul(w.CreateFPExt(v[0], wide), w.CreateFPExt(v[1], wide));
    V* const addend = w.CreateFPExt(v[2], wide);
    // A sum of f16 has digits enough; one of bf16 may be too wide.
    result = type == Type::f16 ? w.CreateFAdd(product, addend) : odd_sum(w, product, addend);
  }
  if (i.has(dot::sat)) result = saturate(w, result);
  if (i.has(dot::ftz)) result = flushed_result(w, result, format, Rounding::nearest);
  V* const rounded = narrow(w, result, format, Rounding::nearest, false);
  return i.has(dot::relu) ? rectified(w, rounded, format) : rounded;
}

// As for f32, with the same rules for NaN and zero. .xorsign.abs works on the magnitudes and
// gives the sign of the product.
llvm::Value* small_min_max(WarpBuilder& w, const Instruction& i, const std::vector<V*>& bits,
                           Type type) {
  const Format format = format_of(type);
  const bool least = i.opcode == Opcode::min;
  llvm::Type* const own = bits[0]->getType();
  std::vector<V*> v = bits;
  if (i.has(dot::ftz))
    for (V*& one : v) one = flush_small(w, one, format);
  V* const sign_bit = ConstantInt::get(own, format.sign());
  V* const sign = w.CreateAnd(w.CreateXor(v[0], v[1]), sign_bit);
  if (i.has(dot::xorsign))
    for (V*& one : v) one = w.CreateAnd(one, w.CreateNot(sign_bit));
  V* const a = widen(w, v[0], format);
  V* const b = widen(w, v[1], format);
  V* const less = least ? w.CreateFCmpOLT(a, b) : w.CreateFCmpOGT(a, b);
  V* picked = w.CreateSelect(less, v[0], v[1]);
  V* const both = least ? w.CreateOr(v[0], v[1]) : w.CreateAnd(v[0], v[1]);
  picked = w.CreateSelect(w.CreateFCmpOEQ(a, b), both, picked);
  V* const a_nan = w.CreateFCmpUNO(a, a);
  V* const b_nan = w.CreateFCmpUNO(b, b);
  if (!i.has(dot::NaN)) picked = w.CreateSelect(b_nan, v[0], w.CreateSelect(a_nan, v[1], picked));
  if (i.has(dot::xorsign)) picked = w.CreateOr(picked, sign);
  V* const none = i.has(dot::NaN) ? w.CreateOr(a_nan, b_nan) : w.CreateAnd(a_nan, b_nan);
  return w.CreateSelect(none, ConstantInt::get(own, format.nan()), picked);
}

llvm::Value* small_function(WarpBuilder& w, const Instruction& i, V* bits, Type type) {
  const Format format = format_of(type);
  V* const x = widen(w, i.has(dot::ftz) ? flush_small(w, bits, format) : bits, format);
  const bool power = i.opcode == Opcode::ex2;
  if (w.input().request.approx == Approx::hardware) {
    // The unit cuts off what the format has no bits for. Values that are too large become infinite.
    V* const result = power ? special::exponential(w, x) : special::hyperbolic_tangent(w, x);
    V* const cut = narrow(w, result, format, Rounding::zero, false);
    V* const limit =
        ConstantFP::get(result->getType(), std::ldexp(1.0, 1 << (format.exponent - 1)));
    return w.CreateSelect(w.CreateFCmpOGE(result, limit),
                          ConstantInt::get(cut->getType(), format.infinity()), cut);
  }
  V* const result = power ? exponential(w, x) : hyperbolic_tangent(w, x);
  V* const rounded = narrow(w, result, format, Rounding::nearest, false);
  return i.has(dot::ftz) ? flush_small(w, rounded, format) : rounded;
}

}  // namespace

void emit_small_floats(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  // Two types: operands of different widths.
  if (!is_small(type) || i.types.size() > 1 || i.has(dot::oob) || i.has(dot::rz) ||
      i.has(dot::rm) || i.has(dot::rp))
    return w.unsupported(i);
  const Type one = single_of(type);
  const Opcode op = i.opcode;
  if (op == Opcode::min || op == Opcode::max) {
    if (i.operands.size() != 3) return w.unsupported(i);
    return each_small(w, i, type,
                      [&](const std::vector<V*>& v) { return small_min_max(w, i, v, one); });
  }
  if (op == Opcode::ex2 || op == Opcode::tanh)
    return each_small(w, i, type,
                      [&](const std::vector<V*>& v) { return small_function(w, i, v[0], one); });
  if (op == Opcode::add || op == Opcode::sub || op == Opcode::mul || op == Opcode::fma)
    return each_small(w, i, type,
                      [&](const std::vector<V*>& v) { return small_arithmetic(w, i, v, one); });
  w.unsupported(i);
}

}  // namespace cuvette::ptx
