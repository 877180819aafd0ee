// SPDX-License-Identifier: Apache-2.0
// Functions of f32 numbers as polynomials, each within the error that the PTX manual allows. The
// coefficients interpolate at Chebyshev nodes.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/special_functions.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

namespace {

// One rounding or two, whichever is fast: the error bounds allow both.
llvm::Value* multiply_add(WarpBuilder& w, V* a, V* b, V* c) {
  if (w.input().request.vectors != Vectors::sse) return fused(w, a, b, c);
  return w.CreateFAdd(w.CreateFMul(a, b), c);
}

// Coefficients from the highest power down.
llvm::Value* polynomial(WarpBuilder& w, V* x, std::initializer_list<double> coefficients) {
  V* sum = nullptr;
  for (const double coefficient : coefficients) {
    V* const constant = ConstantFP::get(x->getType(), coefficient);
    sum = sum ? multiply_add(w, sum, x, constant) : constant;
  }
  return sum;
}

}  // namespace

// 2^x = 2^n 2^f with integer n and |f| <= 1/2. 2^n is applied as two factors, so that subnormal
// results are rounded.
llvm::Value* exponential(WarpBuilder& w, V* x) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(w, x, w.getInt32Ty());
  V* const low = ConstantFP::get(own, -160.0);
  V* const high = ConstantFP::get(own, 130.0);
  V* limited = w.CreateSelect(w.CreateFCmpOGT(x, low), x, low);  // also NaN
  limited = w.CreateSelect(w.CreateFCmpOLT(limited, high), limited, high);
  V* const n = whole(w, limited, Rounding::nearest);
  V* const f = w.CreateFSub(limited, n);
  V* const mantissa = polynomial(w, f,
                                 {0.000154614446986, 0.00134004281776, 0.00961805667852,
                                  0.0555032722667, 0.240226509223, 0.693147206703, 1.0});
  V* const exponent = w.CreateFPToSI(n, whole_type);
  V* const first = w.CreateAShr(exponent, ConstantInt::get(whole_type, 1));
  V* const second = w.CreateSub(exponent, first);
  const auto power = [&](V* of) {
    V* const biased = w.CreateAdd(of, ConstantInt::get(whole_type, 127));
    return w.CreateBitCast(w.CreateShl(biased, ConstantInt::get(whole_type, 23)), own);
  };
  V* const result = w.CreateFMul(w.CreateFMul(mantissa, power(first)), power(second));
  V* const nan = w.CreateBitCast(ConstantInt::get(whole_type, f32_format.nan()), own);
  return w.CreateSelect(w.CreateFCmpUNO(x, x), nan, result);
}

namespace {

// lg2(2^e m) = e + lg2(m), m between 1/sqrt(2) and sqrt(2).
llvm::Value* logarithm(WarpBuilder& w, V* x, bool ftz) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(w, x, w.getInt32Ty());
  const auto constant = [&](uint32_t value) { return ConstantInt::get(whole_type, value); };
  V* bits = w.CreateBitCast(x, whole_type);
  V* offset = constant(0);
  if (!ftz) {
    // Scales subnormal numbers to normal ones.
    V* const small = w.CreateFCmpOLT(x, ConstantFP::get(own, 0x1p-126));
    V* const larger = w.CreateFMul(x, ConstantFP::get(own, 0x1p24));
    bits = w.CreateSelect(small, w.CreateBitCast(larger, whole_type), bits);
    offset = w.CreateSelect(small, constant(24), constant(0));
  }
  // Mantissas begin at sqrt(1/2), so exponents count from there.
  V* const base = constant(0x3f3504f3);
  V* const exponent = w.CreateAShr(w.CreateSub(bits, base), constant(23));
  V* const m = w.CreateBitCast(w.CreateSub(bits, w.CreateShl(exponent, constant(23))), own);
  V* const t = w.CreateFSub(m, ConstantFP::get(own, 1.0));
  V* const p =
      polynomial(w, t,
                 {-0.107497894181, 0.184760333652, -0.191388376567, 0.204857647786, -0.23960812191,
                  0.288552561437, -0.360696541808, 0.480898520324, -0.721347354479, 1.44269504});
  V* const e = w.CreateSIToFP(w.CreateSub(exponent, offset), own);
  V* result = multiply_add(w, t, p, e);
  V* const zero = ConstantFP::get(own, 0.0);
  V* const infinity = ConstantFP::getInfinity(own);
  V* const nan = w.CreateBitCast(constant(static_cast<uint32_t>(f32_format.nan())), own);
  result = w.CreateSelect(w.CreateFCmpOEQ(x, infinity), infinity, result);
  result = w.CreateSelect(w.CreateFCmpOEQ(x, zero), ConstantFP::getInfinity(own, true), result);
  return w.CreateSelect(w.CreateFCmpULT(x, zero), nan, result);
}

// The hardware multiplies the angle by 1/(2 pi), rounding towards zero; doing the same gives the
// same results for large angles.
llvm::Value* sine(WarpBuilder& w, V* x, bool cosine) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(w, x, w.getInt32Ty());
  const auto number = [&](double value) { return ConstantFP::get(own, value); };
  V* const turns = directed(w, Opcode::mul, Rounding::zero, {x, number(0.15915494309)});
  V* const rest = w.CreateFSub(turns, whole(w, turns, Rounding::nearest));
  V* const quarters = w.CreateFMul(rest, number(4.0));
  V* const quarter = whole(w, quarters, Rounding::nearest);
  V* const angle = w.CreateFMul(w.CreateFSub(quarters, quarter), number(1.57079632679));
  V* const square = w.CreateFMul(angle, angle);
  V* const odd = multiply_add(
      w, w.CreateFMul(angle, square),
      polynomial(w, square, {-0.000195853732063, 0.00833273655917, -0.166666646018}), angle);
  V* const even = multiply_add(
      w, square,
      polynomial(w, square,
                 {2.44604321894e-5, -0.00138875631424, 0.0416666501605, -0.499999999679}),
      number(1.0));
  // Infinities and NaN have no quarter; the number used in its place does not reach the result.
  V* const finite = w.CreateFCmpORD(rest, rest);
  V* q = w.CreateFPToSI(w.CreateSelect(finite, quarter, number(0.0)), whole_type);
  if (cosine) q = w.CreateAdd(q, ConstantInt::get(whole_type, 1));
  V* const is_odd = w.CreateICmpNE(w.CreateAnd(q, ConstantInt::get(whole_type, 1)),
                                   llvm::Constant::getNullValue(whole_type));
  V* const is_negative = w.CreateICmpNE(w.CreateAnd(q, ConstantInt::get(whole_type, 2)),
                                        llvm::Constant::getNullValue(whole_type));
  V* result = w.CreateSelect(is_odd, even, odd);
  result = w.CreateSelect(is_negative, w.CreateFNeg(result), result);
  if (!cosine) {
    // A zero result has the angle's sign.
    V* const zero = w.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(0.0), x);
    result = w.CreateSelect(w.CreateFCmpOEQ(result, number(0.0)), zero, result);
  }
  return canonical(w, w.CreateSelect(finite, result, rest));
}

}  // namespace

// Small arguments use a polynomial; others 1 - 2 / (e^2x + 1).
llvm::Value* hyperbolic_tangent(WarpBuilder& w, V* x) {
  llvm::Type* const own = x->getType();
  const auto number = [&](double value) { return ConstantFP::get(own, value); };
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {x});
  V* const power = exponential(w, w.CreateFMul(magnitude, number(2.88539008178)));
  V* const large =
      w.CreateFSub(number(1.0), w.CreateFDiv(number(2.0), w.CreateFAdd(power, number(1.0))));
  V* const square = w.CreateFMul(x, x);
  V* const small = multiply_add(
      w, w.CreateFMul(magnitude, square),
      polynomial(w, square, {0.0165779896367, -0.0528479228946, 0.133254609386, -0.333332451709}),
      magnitude);
  V* const result = w.CreateSelect(w.CreateFCmpOLT(magnitude, number(0.6)), small, large);
  return canonical(w, w.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x));
}

// rcp and rsqrt of .approx.ftz.f64 read and write only the upper half of a double.
llvm::Value* gross(WarpBuilder& w, const Instruction& i, V* x) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(w, x, w.getInt64Ty());
  const auto constant = [&](uint64_t value) { return ConstantInt::get(whole_type, value); };
  V* const upper_half = constant(0xffffffff00000000);
  const auto upper = [&](V* number) {
    V* const bits = w.CreateAnd(w.CreateBitCast(number, whole_type), upper_half);
    V* const exponent = w.CreateAnd(bits, constant(f64_format.infinity()));
    V* const zero = w.CreateAnd(bits, constant(f64_format.sign()));
    return w.CreateSelect(w.CreateICmpEQ(exponent, constant(0)), zero, bits);
  };
  V* const taken = w.CreateBitCast(upper(x), own);
  V* root = taken;
  if (i.opcode == Opcode::rsqrt) root = w.intrinsic(llvm::Intrinsic::sqrt, {taken});
  V* const result = upper(canonical(w, w.CreateFDiv(ConstantFP::get(own, 1.0), root)));
  return w.CreateBitCast(result, own);
}

namespace {

// --- What programs rely on ---
//
// CUDA's functions of half numbers (hexp, hlog10 and so on) are ex2 and lg2, rounded to 16 bits. At
// the few arguments where hardware's last bits make that one unit wrong, they mend it, for these
// arguments alone. So values there must be hardware's, not better ones: each of these is the
// nearest to the exact one that is rounded as hardware's is. x, and f(x), as bits.
struct KnownValue {
  uint32_t argument, result;
};
constexpr KnownValue known_powers[] = {
    {0x3f8158fb, 0x4000f000}, {0xb9b8c000, 0x3f7feffe}, {0xbbc49dda, 0x3f7ef000},
    {0xbc10b624, 0x3f7e6fff}, {0xbbf30000, 0x3f7eaffe}, {0xbd993953, 0x3f731000},
    {0xbdeae000, 0x3f6c6ffe}, {0xc0717899, 0x3d95d000}, {0xc088f743, 0x3d52d000},
};
constexpr KnownValue known_logarithms[] = {
    {0x3ac1a000, 0xc1167230}, {0x3b26a000, 0xc109e9a1}, {0x3baf0000, 0xc0f18fad},
    {0x3f7fc000, 0xbab8c151}, {0x3f816000, 0x3c7c8fd3}, {0x40448000, 0x3fcf2741},
    {0x440a2000, 0x4111c1dd},
};

// Returns the result with the known values in it; `may_be`: in which lanes it may be one.
template <size_t count>
llvm::Value* with_known(WarpBuilder& w, const KnownValue (&known)[count], V* x, V* result,
                        V* may_be) {
  llvm::Type* const own = x->getType();
  llvm::Type* const whole_type = like(w, x, w.getInt32Ty());
  llvm::BasicBlock* const before = w.GetInsertBlock();
  llvm::BasicBlock* looked = nullptr;
  V* mended = result;
  w.when(
      own->isVectorTy() ? w.any(may_be) : may_be,
      [&] {
        V* const bits = w.CreateBitCast(x, whole_type);
        for (const KnownValue& one : known) {
          V* const is_it = w.CreateICmpEQ(bits, ConstantInt::get(whole_type, one.argument));
          V* const value = w.CreateBitCast(ConstantInt::get(whole_type, one.result), own);
          mended = w.CreateSelect(is_it, value, mended);
        }
        looked = w.GetInsertBlock();
      },
      true);
  llvm::PHINode* const phi = w.CreatePHI(own, 2);
  phi->addIncoming(result, before);
  phi->addIncoming(mended, looked);
  return phi;
}

// The known powers are beside the middle between two half numbers, one unit away at most; so are
// 3 of 4096 others.
llvm::Value* exponential_as_known(WarpBuilder& w, V* x) {
  V* const result = exponential(w, x);
  llvm::Type* const whole_type = like(w, x, w.getInt32Ty());
  const auto constant = [&](uint32_t value) { return ConstantInt::get(whole_type, value); };
  V* const bits = w.CreateBitCast(result, whole_type);
  V* const beside = w.CreateAnd(w.CreateAdd(bits, constant(1)), constant(0xfff));
  return with_known(w, known_powers, x, result, w.CreateICmpULE(beside, constant(2)));
}

// The known logarithms are of half numbers.
llvm::Value* logarithm_as_known(WarpBuilder& w, V* x, bool ftz) {
  V* const result = logarithm(w, x, ftz);
  llvm::Type* const whole_type = like(w, x, w.getInt32Ty());
  const auto constant = [&](uint32_t value) { return ConstantInt::get(whole_type, value); };
  V* const below_half = w.CreateAnd(w.CreateBitCast(x, whole_type), constant(0x1fff));
  return with_known(w, known_logarithms, x, result, w.CreateICmpEQ(below_half, constant(0)));
}

}  // namespace

void emit_transcendental(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool ftz = i.has(dot::ftz);
  if (type != Type::f32) return w.unsupported(i);
  w.elementwise(i, {type}, type, [&](const std::vector<V*>& v) -> V* {
    V* const x = ftz ? flush(w, v[0]) : v[0];
    if (w.input().request.approx == Approx::hardware) return special_function(w, i, x);
    V* result;
    if (i.opcode == Opcode::ex2)
      result = exponential_as_known(w, x);
    else if (i.opcode == Opcode::lg2)
      result = logarithm_as_known(w, x, ftz);
    else if (i.opcode == Opcode::tanh)
      result = hyperbolic_tangent(w, x);
    else
      result = sine(w, x, i.opcode == Opcode::cos);
    return ftz ? flush(w, result) : result;
  });
}

}  // namespace cuvette::ptx
