// SPDX-License-Identifier: Apache-2.0
// Numbers from one format to another by arithmetic of their bits: each rounding, each format, and
// nothing that a processor without the instructions would have to call a library for.
#include "sim/ptx/emit/number_formats.hpp"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

llvm::Type* like(WarpBuilder& w, V* value, llvm::Type* scalar) {
  auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? static_cast<llvm::Type*>(w.vector_type(scalar, vector->getNumElements()))
                : scalar;
}

// NaN of any sign and payload becomes the one that the machine makes.
llvm::Value* canonical(WarpBuilder& w, V* number) {
  const bool single = number->getType()->getScalarType()->isFloatTy();
  V* const bits = ConstantInt::get(like(w, number, w.getIntNTy(single ? 32 : 64)),
                                   single ? f32_format.nan() : f64_format.nan());
  return w.CreateSelect(w.CreateFCmpUNO(number, number), w.CreateBitCast(bits, number->getType()),
                        number);
}

// A number's bits in a smaller format. `finite`: what is too large becomes the largest number.
llvm::Value* narrow(WarpBuilder& w, V* number, const Format& to, Rounding rounding, bool finite) {
  const bool single = number->getType()->getScalarType()->isFloatTy();
  const Format& from = single ? f32_format : f64_format;
  V* const bits = w.bits_as(number, w.getIntNTy(from.width));
  llvm::Type* const target = like(w, number, w.getIntNTy(to.width));
  if (single && to.width == 16 && to.mantissa == 10 && rounding == Rounding::nearest && !finite &&
      w.input().request.vectors != Vectors::sse) {
    V* const half = w.CreateFPTrunc(number, like(w, number, w.getHalfTy()));
    return w.CreateSelect(w.CreateFCmpUNO(number, number), ConstantInt::get(target, to.nan()),
                          w.CreateBitCast(half, target));
  }
  llvm::Type* const own = bits->getType();
  const auto constant = [&](uint64_t value) { return ConstantInt::get(own, value); };
  if (rounding == Rounding::nearest && !finite && to.exponent == from.exponent) {
    // Only digits fall away: what they carry goes to the exponent, and on to infinity.
    const unsigned by = from.mantissa - to.mantissa;
    V* const odd = w.CreateAnd(w.CreateLShr(bits, constant(by)), constant(1));
    V* const add = w.CreateAdd(odd, constant((uint64_t{1} << (by - 1)) - 1));
    V* const rounded = w.CreateLShr(w.CreateAdd(bits, add), constant(by));
    return w.CreateSelect(w.CreateFCmpUNO(number, number), ConstantInt::get(target, to.nan()),
                          w.CreateTrunc(rounded, target));
  }
  V* const negative = w.CreateICmpSLT(bits, constant(0));
  V* const magnitude = w.CreateAnd(bits, constant(from.sign() - 1));
  const unsigned shift = from.mantissa - to.mantissa;
  const uint64_t bias = from.bias() - to.bias();
  // Cuts `by` bits off, after adding what rounds the rest as it must.
  const auto rounded = [&](V* value, V* by) -> V* {
    V* const one = w.CreateShl(constant(1), by);
    V* const mask = w.CreateSub(one, constant(1));
    V* const half = w.CreateLShr(one, constant(1));
    V* add = constant(0);
    switch (rounding) {
      case Rounding::nearest:
        add = w.CreateAdd(w.CreateSub(half, constant(1)),
                          w.CreateAnd(w.CreateLShr(value, by), constant(1)));
        break;
      case Rounding::away:
        add = half;
        break;
      case Rounding::down:
        add = w.CreateSelect(negative, mask, constant(0));
        break;
      case Rounding::up:
        add = w.CreateSelect(negative, constant(0), mask);
        break;
      case Rounding::zero:
        break;
    }
    return w.CreateLShr(w.CreateAdd(value, add), by);
  };
  V* result = rounded(w.CreateSub(magnitude, constant(bias << from.mantissa)), constant(shift));
  if (bias) {
    // Below the smallest normal number, smaller numbers have fewer bits.
    V* const exponent = w.CreateLShr(magnitude, constant(from.mantissa));
    V* const normal = w.CreateICmpNE(exponent, constant(0));
    V* const first = w.CreateSelect(normal, constant(uint64_t{1} << from.mantissa), constant(0));
    V* const digits =
        w.CreateOr(w.CreateAnd(magnitude, constant((uint64_t{1} << from.mantissa) - 1)), first);
    V* const place = w.CreateSelect(normal, exponent, constant(1));
    V* const by =
        w.intrinsic(llvm::Intrinsic::umin,
                    {w.CreateSub(constant(shift + bias + 1), place), constant(from.mantissa + 2)});
    V* const small = w.CreateICmpULT(magnitude, constant((bias + 1) << from.mantissa));
    result = w.CreateSelect(small, rounded(digits, by), result);
  }
  V* const largest = constant(to.largest());
  V* beyond = largest;
  if (!finite && to.infinite) {
    V* const infinity = constant(to.infinity());
    V* const source_infinite = w.CreateICmpEQ(magnitude, constant(from.infinity()));
    if (rounding == Rounding::nearest || rounding == Rounding::away)
      beyond = infinity;
    else if (rounding == Rounding::down)
      beyond = w.CreateSelect(negative, infinity, largest);
    else if (rounding == Rounding::up)
      beyond = w.CreateSelect(negative, largest, infinity);
    beyond = w.CreateSelect(source_infinite, infinity, beyond);
  }
  result = w.CreateSelect(w.CreateICmpUGT(result, largest), beyond, result);
  result = w.CreateOr(result, w.CreateSelect(negative, constant(to.sign()), constant(0)));
  result = w.CreateSelect(w.CreateICmpUGT(magnitude, constant(from.infinity())), constant(to.nan()),
                          result);
  return w.CreateTrunc(result, target);
}

// Replaces a number that would be subnormal in the format by a zero of its sign: one that is still
// below the smallest normal number after rounding to the format's digits.
llvm::Value* flushed_result(WarpBuilder& w, V* number, const Format& to, Rounding rounding) {
  llvm::Type* const own = number->getType();
  const double least = std::ldexp(1.0, 1 - static_cast<int>(to.bias()));
  const double digit = std::ldexp(least, -1 - static_cast<int>(to.mantissa));  // below the least
  const auto below = [&](V* x, double limit, bool too) {
    V* const bound = ConstantFP::get(own, limit);
    return too ? w.CreateFCmpOLE(x, bound) : w.CreateFCmpOLT(x, bound);
  };
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {number});
  V* const zero = ConstantFP::get(own, 0.0);
  V* lost;
  if (rounding == Rounding::nearest) {
    lost = below(magnitude, least - digit / 2, false);
  } else if (rounding == Rounding::zero) {
    lost = below(magnitude, least, false);
  } else {
    V* const away =
        rounding == Rounding::up ? w.CreateFCmpOGT(number, zero) : w.CreateFCmpOLT(number, zero);
    lost =
        w.CreateSelect(away, below(magnitude, least - digit, true), below(magnitude, least, false));
  }
  V* const none = w.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, number);
  return w.CreateSelect(lost, none, number);
}

// `converted`, or where `number` is a NaN of double precision what is left of that.
llvm::Value* nan_in(WarpBuilder& w, V* number, V* converted, const Format& to) {
  V* const bits = w.bits_as(number, w.getInt64Ty());
  llvm::Type* const own = bits->getType();
  V* const payload = w.CreateLShr(bits, ConstantInt::get(own, 52 - to.mantissa));
  V* const kept = w.CreateAnd(payload, ConstantInt::get(own, to.nan()));
  V* const quiet = ConstantInt::get(own, to.infinity() | uint64_t{1} << (to.mantissa - 1));
  V* const sign = w.CreateAnd(w.CreateLShr(bits, ConstantInt::get(own, 64 - to.width)),
                              ConstantInt::get(own, to.sign()));
  V* const nan = w.CreateOr(w.CreateOr(kept, quiet), sign);
  return w.CreateSelect(w.CreateFCmpUNO(number, number), w.CreateTrunc(nan, converted->getType()),
                        converted);
}

// The f32 number that the bits of a small format are; exact. NaN stays one, with any payload.
llvm::Value* widen(WarpBuilder& w, V* bits, const Format& from) {
  llvm::Type* const number = like(w, bits, w.getFloatTy());
  llvm::Type* const own = like(w, bits, w.getInt32Ty());
  if (from.width == 16 && from.mantissa == 10 && w.input().request.vectors != Vectors::sse)
    return w.CreateFPExt(w.bits_as(bits, w.getHalfTy()), number);
  const auto constant = [&](uint64_t value) { return ConstantInt::get(own, value); };
  V* const word = w.CreateZExt(bits, own);
  if (from.exponent == 8)
    return w.CreateBitCast(w.CreateShl(word, constant(32 - from.width)), number);
  V* const magnitude = w.CreateAnd(word, constant(from.sign() - 1));
  const unsigned shift = f32_format.mantissa - from.mantissa;
  const uint64_t bias = f32_format.bias() - from.bias();
  V* const moved = w.CreateShl(magnitude, constant(shift));
  V* const normal = w.CreateAdd(moved, constant(bias << f32_format.mantissa));
  // A subnormal number is a multiple of the smallest one.
  const double unit = 1.0 / static_cast<double>(uint64_t{1} << (from.bias() - 1 + from.mantissa));
  V* const small = w.CreateBitCast(
      w.CreateFMul(w.CreateSIToFP(magnitude, number), ConstantFP::get(number, unit)), own);
  V* result = w.CreateSelect(w.CreateICmpULT(magnitude, constant(uint64_t{1} << from.mantissa)),
                             small, normal);
  V* const special =
      w.CreateICmpUGT(magnitude, constant(from.infinite ? from.infinity() - 1 : from.largest()));
  V* const unusual = from.infinite ? w.CreateOr(moved, constant(f32_format.infinity()))
                                   : static_cast<V*>(constant(f32_format.nan()));
  result = w.CreateSelect(special, unusual, result);
  V* const sign = w.CreateShl(w.CreateAnd(word, constant(from.sign())), constant(32 - from.width));
  return w.CreateBitCast(w.CreateOr(result, sign), number);
}

// To a whole number, which remains one with a point. Zero keeps the sign.
llvm::Value* whole(WarpBuilder& w, V* x, Rounding rounding) {
  if (w.input().request.vectors != Vectors::sse) {
    switch (rounding) {
      case Rounding::down:
        return w.intrinsic(llvm::Intrinsic::floor, {x});
      case Rounding::up:
        return w.intrinsic(llvm::Intrinsic::ceil, {x});
      case Rounding::zero:
        return w.intrinsic(llvm::Intrinsic::trunc, {x});
      default:
        return w.intrinsic(llvm::Intrinsic::roundeven, {x});
    }
  }
  // Adding 2^23 leaves no room for a fraction.
  llvm::Type* const own = x->getType();
  const bool single = own->getScalarType()->isFloatTy();
  V* const limit = ConstantFP::get(own, single ? 0x1p23 : 0x1p52);
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {x});
  V* near = w.CreateFSub(w.CreateFAdd(magnitude, limit), limit);
  near = w.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, near, x);
  V* const one = ConstantFP::get(own, 1.0);
  V* const zero = ConstantFP::get(own, 0.0);
  const auto correct = [&](V* wrong, V* by) {
    return w.CreateFAdd(near, w.CreateSelect(wrong, by, zero));
  };
  V* const minus = ConstantFP::get(own, -1.0);
  V* const above = w.CreateFCmpOGT(near, x);
  V* const below = w.CreateFCmpOLT(near, x);
  V* const negative = w.CreateFCmpOLT(x, zero);
  V* result = near;
  if (rounding == Rounding::down) result = correct(above, minus);
  if (rounding == Rounding::up) result = correct(below, one);
  if (rounding == Rounding::zero)
    result = w.CreateSelect(negative, correct(below, one), correct(above, minus));
  result = w.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  // A sum makes a quiet NaN of a signalling one.
  return w.CreateSelect(w.CreateFCmpOLT(magnitude, limit), result, w.CreateFAdd(x, zero));
}

// .relu: what is below 0 is 0.
llvm::Value* rectified(WarpBuilder& w, V* bits, const Format& format) {
  llvm::Type* const own = bits->getType();
  V* const negative = w.CreateICmpNE(w.CreateAnd(bits, ConstantInt::get(own, format.sign())),
                                     llvm::Constant::getNullValue(own));
  return w.CreateSelect(negative, llvm::Constant::getNullValue(own), bits);
}

}  // namespace cuvette::ptx
