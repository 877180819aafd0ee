// SPDX-License-Identifier: Apache-2.0
// Functions of f32 numbers as polynomials, each within the error that the PTX manual allows it.
// Coefficients are those of interpolation at Chebyshev's points.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

// One rounding or two, whichever is fast: the errors allow for both.
llvm::Value* Emitter::multiply_add(V* a, V* b, V* c) {
  if (input_.request.vectors != Vectors::sse) return fused(a, b, c);
  return builder_.CreateFAdd(builder_.CreateFMul(a, b), c);
}

// Coefficients from the highest power down.
llvm::Value* Emitter::polynomial(V* x, std::initializer_list<double> coefficients) {
  V* sum = nullptr;
  for (const double coefficient : coefficients) {
    V* const constant = ConstantFP::get(x->getType(), coefficient);
    sum = sum ? multiply_add(sum, x, constant) : constant;
  }
  return sum;
}

// 2^x = 2^n 2^f with n whole and f at most a half. The power comes in two factors, so that
// subnormal results are rounded.
llvm::Value* Emitter::exponential(V* x) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(x, builder_.getInt32Ty());
  V* const low = ConstantFP::get(own, -160.0);
  V* const high = ConstantFP::get(own, 130.0);
  V* limited = builder_.CreateSelect(builder_.CreateFCmpOGT(x, low), x, low);  // also NaN
  limited = builder_.CreateSelect(builder_.CreateFCmpOLT(limited, high), limited, high);
  V* const n = whole(limited, Rounding::nearest);
  V* const f = builder_.CreateFSub(limited, n);
  V* const mantissa = polynomial(f, {0.000154614446986, 0.00134004281776, 0.00961805667852,
                                     0.0555032722667, 0.240226509223, 0.693147206703, 1.0});
  V* const exponent = builder_.CreateFPToSI(n, whole_type);
  V* const first = builder_.CreateAShr(exponent, ConstantInt::get(whole_type, 1));
  V* const second = builder_.CreateSub(exponent, first);
  const auto power = [&](V* of) {
    V* const biased = builder_.CreateAdd(of, ConstantInt::get(whole_type, 127));
    return builder_.CreateBitCast(builder_.CreateShl(biased, ConstantInt::get(whole_type, 23)),
                                  own);
  };
  V* const result = builder_.CreateFMul(builder_.CreateFMul(mantissa, power(first)), power(second));
  V* const nan = builder_.CreateBitCast(ConstantInt::get(whole_type, f32_format.nan()), own);
  return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), nan, result);
}

// lg2(2^e m) = e + lg2(m), m between 1/sqrt(2) and sqrt(2).
llvm::Value* Emitter::logarithm(V* x, bool ftz) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(x, builder_.getInt32Ty());
  const auto constant = [&](uint32_t value) { return ConstantInt::get(whole_type, value); };
  V* bits = builder_.CreateBitCast(x, whole_type);
  V* offset = constant(0);
  if (!ftz) {
    // A subnormal number is made a normal one.
    V* const small = builder_.CreateFCmpOLT(x, ConstantFP::get(own, 0x1p-126));
    V* const larger = builder_.CreateFMul(x, ConstantFP::get(own, 0x1p24));
    bits = builder_.CreateSelect(small, builder_.CreateBitCast(larger, whole_type), bits);
    offset = builder_.CreateSelect(small, constant(24), constant(0));
  }
  // The exponent counts from sqrt(1/2) on.
  V* const base = constant(0x3f3504f3);
  V* const exponent = builder_.CreateAShr(builder_.CreateSub(bits, base), constant(23));
  V* const m = builder_.CreateBitCast(
      builder_.CreateSub(bits, builder_.CreateShl(exponent, constant(23))), own);
  V* const t = builder_.CreateFSub(m, ConstantFP::get(own, 1.0));
  V* const p = polynomial(
      t, {-0.107497894181, 0.184760333652, -0.191388376567, 0.204857647786, -0.23960812191,
          0.288552561437, -0.360696541808, 0.480898520324, -0.721347354479, 1.44269504});
  V* const e = builder_.CreateSIToFP(builder_.CreateSub(exponent, offset), own);
  V* result = multiply_add(t, p, e);
  V* const zero = ConstantFP::get(own, 0.0);
  V* const infinity = ConstantFP::getInfinity(own);
  V* const nan = builder_.CreateBitCast(constant(static_cast<uint32_t>(f32_format.nan())), own);
  result = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, infinity), infinity, result);
  result = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, zero),
                                 ConstantFP::getInfinity(own, true), result);
  return builder_.CreateSelect(builder_.CreateFCmpULT(x, zero), nan, result);
}

// The hardware takes the angle as a part of a turn, a product that is rounded towards zero; done
// the same way, large angles come out alike.
llvm::Value* Emitter::sine(V* x, bool cosine) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(x, builder_.getInt32Ty());
  const auto number = [&](double value) { return ConstantFP::get(own, value); };
  V* const turns = directed(Opcode::mul, Rounding::zero, {x, number(0.15915494309)});
  V* const rest = builder_.CreateFSub(turns, whole(turns, Rounding::nearest));
  V* const quarters = builder_.CreateFMul(rest, number(4.0));
  V* const quarter = whole(quarters, Rounding::nearest);
  V* const angle =
      builder_.CreateFMul(builder_.CreateFSub(quarters, quarter), number(1.57079632679));
  V* const square = builder_.CreateFMul(angle, angle);
  V* const odd = multiply_add(
      builder_.CreateFMul(angle, square),
      polynomial(square, {-0.000195853732063, 0.00833273655917, -0.166666646018}), angle);
  V* const even = multiply_add(
      square,
      polynomial(square, {2.44604321894e-5, -0.00138875631424, 0.0416666501605, -0.499999999679}),
      number(1.0));
  // Infinities have no quarter; whatever number comes of them here is not used.
  V* const finite = builder_.CreateFCmpORD(rest, rest);
  V* q = builder_.CreateFPToSI(builder_.CreateSelect(finite, quarter, number(0.0)), whole_type);
  if (cosine) q = builder_.CreateAdd(q, ConstantInt::get(whole_type, 1));
  V* const is_odd = builder_.CreateICmpNE(builder_.CreateAnd(q, ConstantInt::get(whole_type, 1)),
                                          llvm::Constant::getNullValue(whole_type));
  V* const is_negative =
      builder_.CreateICmpNE(builder_.CreateAnd(q, ConstantInt::get(whole_type, 2)),
                            llvm::Constant::getNullValue(whole_type));
  V* result = builder_.CreateSelect(is_odd, even, odd);
  result = builder_.CreateSelect(is_negative, builder_.CreateFNeg(result), result);
  if (!cosine) {
    // Zero has the angle's sign.
    V* const zero = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(0.0), x);
    result = builder_.CreateSelect(builder_.CreateFCmpOEQ(result, number(0.0)), zero, result);
  }
  return canonical(builder_.CreateSelect(finite, result, rest));
}

// Small ones by a polynomial; others as 1 - 2 / (e^2x + 1).
llvm::Value* Emitter::hyperbolic_tangent(V* x) {
  llvm::Type* const own = x->getType();
  const auto number = [&](double value) { return ConstantFP::get(own, value); };
  V* const magnitude = intrinsic(llvm::Intrinsic::fabs, {x});
  V* const power = exponential(builder_.CreateFMul(magnitude, number(2.88539008178)));
  V* const large = builder_.CreateFSub(
      number(1.0), builder_.CreateFDiv(number(2.0), builder_.CreateFAdd(power, number(1.0))));
  V* const square = builder_.CreateFMul(x, x);
  V* const small = multiply_add(
      builder_.CreateFMul(magnitude, square),
      polynomial(square, {0.0165779896367, -0.0528479228946, 0.133254609386, -0.333332451709}),
      magnitude);
  V* const result =
      builder_.CreateSelect(builder_.CreateFCmpOLT(magnitude, number(0.6)), small, large);
  return canonical(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x));
}

// The upper half of a double-precision number is all that is read and made.
llvm::Value* Emitter::gross(const Instruction& i, V* x) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(x, builder_.getInt64Ty());
  const auto constant = [&](uint64_t value) { return ConstantInt::get(whole_type, value); };
  V* const upper_half = constant(0xffffffff00000000);
  const auto upper = [&](V* number) {
    V* const bits = builder_.CreateAnd(builder_.CreateBitCast(number, whole_type), upper_half);
    V* const exponent = builder_.CreateAnd(bits, constant(f64_format.infinity()));
    V* const zero = builder_.CreateAnd(bits, constant(f64_format.sign()));
    return builder_.CreateSelect(builder_.CreateICmpEQ(exponent, constant(0)), zero, bits);
  };
  V* const taken = builder_.CreateBitCast(upper(x), own);
  V* root = taken;
  if (i.opcode == Opcode::rsqrt) root = intrinsic(llvm::Intrinsic::sqrt, {taken});
  V* const result = upper(canonical(builder_.CreateFDiv(ConstantFP::get(own, 1.0), root)));
  return builder_.CreateBitCast(result, own);
}

void Emitter::emit_transcendental(const Instruction& i) {
  const Type type = i.type();
  const bool ftz = i.has(dot::ftz);
  if (type != Type::f32) return unsupported(i);
  elementwise(i, {type}, type, [&](const std::vector<V*>& v) -> V* {
    V* const x = ftz ? flush(v[0]) : v[0];
    V* result;
    if (i.opcode == Opcode::ex2)
      result = exponential(x);
    else if (i.opcode == Opcode::lg2)
      result = logarithm(x, ftz);
    else if (i.opcode == Opcode::tanh)
      result = hyperbolic_tangent(x);
    else
      result = sine(x, i.opcode == Opcode::cos);
    return ftz ? flush(result) : result;
  });
}

}  // namespace cuvette::ptx
