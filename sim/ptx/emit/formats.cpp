// SPDX-License-Identifier: Apache-2.0
// Numbers from one format to another by arithmetic of their bits: each rounding, each format, and
// nothing that a processor without the instructions would have to call a library for.
#include "sim/ptx/emit/formats.hpp"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

llvm::Type* Emitter::like(V* value, llvm::Type* scalar) {
  auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? static_cast<llvm::Type*>(vector_type(scalar, vector->getNumElements())) : scalar;
}

// NaN of whatever sign and payload becomes the one that the machine makes.
llvm::Value* Emitter::canonical(V* number) {
  const bool single = number->getType()->getScalarType()->isFloatTy();
  V* const bits = ConstantInt::get(like(number, builder_.getIntNTy(single ? 32 : 64)),
                                   single ? f32_format.nan() : f64_format.nan());
  return builder_.CreateSelect(builder_.CreateFCmpUNO(number, number),
                               builder_.CreateBitCast(bits, number->getType()), number);
}

// A number's bits in a smaller format. `finite`: what is too large becomes the largest number.
llvm::Value* Emitter::narrow(V* number, const Format& to, Rounding rounding, bool finite) {
  const bool single = number->getType()->getScalarType()->isFloatTy();
  const Format& from = single ? f32_format : f64_format;
  V* const bits = bits_as(number, builder_.getIntNTy(from.width));
  llvm::Type* const target = like(number, builder_.getIntNTy(to.width));
  if (single && to.width == 16 && to.mantissa == 10 && rounding == Rounding::nearest && !finite &&
      input_.request.vectors != Vectors::sse) {
    V* const half = builder_.CreateFPTrunc(number, like(number, builder_.getHalfTy()));
    return builder_.CreateSelect(builder_.CreateFCmpUNO(number, number),
                                 ConstantInt::get(target, to.nan()),
                                 builder_.CreateBitCast(half, target));
  }
  llvm::Type* const own = bits->getType();
  const auto constant = [&](uint64_t value) { return ConstantInt::get(own, value); };
  if (rounding == Rounding::nearest && !finite && to.exponent == from.exponent) {
    // Only digits fall away: what they carry goes to the exponent, and on to infinity.
    const unsigned by = from.mantissa - to.mantissa;
    V* const odd = builder_.CreateAnd(builder_.CreateLShr(bits, constant(by)), constant(1));
    V* const add = builder_.CreateAdd(odd, constant((uint64_t{1} << (by - 1)) - 1));
    V* const rounded = builder_.CreateLShr(builder_.CreateAdd(bits, add), constant(by));
    return builder_.CreateSelect(builder_.CreateFCmpUNO(number, number),
                                 ConstantInt::get(target, to.nan()),
                                 builder_.CreateTrunc(rounded, target));
  }
  V* const negative = builder_.CreateICmpSLT(bits, constant(0));
  V* const magnitude = builder_.CreateAnd(bits, constant(from.sign() - 1));
  const unsigned shift = from.mantissa - to.mantissa;
  const uint64_t bias = from.bias() - to.bias();
  // Cuts `by` bits off, after adding what rounds the rest as it must.
  const auto rounded = [&](V* value, V* by) -> V* {
    V* const one = builder_.CreateShl(constant(1), by);
    V* const mask = builder_.CreateSub(one, constant(1));
    V* const half = builder_.CreateLShr(one, constant(1));
    V* add = constant(0);
    switch (rounding) {
      case Rounding::nearest:
        add = builder_.CreateAdd(builder_.CreateSub(half, constant(1)),
                                 builder_.CreateAnd(builder_.CreateLShr(value, by), constant(1)));
        break;
      case Rounding::away:
        add = half;
        break;
      case Rounding::down:
        add = builder_.CreateSelect(negative, mask, constant(0));
        break;
      case Rounding::up:
        add = builder_.CreateSelect(negative, constant(0), mask);
        break;
      case Rounding::zero:
        break;
    }
    return builder_.CreateLShr(builder_.CreateAdd(value, add), by);
  };
  V* result =
      rounded(builder_.CreateSub(magnitude, constant(bias << from.mantissa)), constant(shift));
  if (bias) {
    // Below the smallest normal number there are the fewer bits the smaller the number is.
    V* const exponent = builder_.CreateLShr(magnitude, constant(from.mantissa));
    V* const normal = builder_.CreateICmpNE(exponent, constant(0));
    V* const first =
        builder_.CreateSelect(normal, constant(uint64_t{1} << from.mantissa), constant(0));
    V* const digits = builder_.CreateOr(
        builder_.CreateAnd(magnitude, constant((uint64_t{1} << from.mantissa) - 1)), first);
    V* const place = builder_.CreateSelect(normal, exponent, constant(1));
    V* const by = intrinsic(
        llvm::Intrinsic::umin,
        {builder_.CreateSub(constant(shift + bias + 1), place), constant(from.mantissa + 2)});
    V* const small = builder_.CreateICmpULT(magnitude, constant((bias + 1) << from.mantissa));
    result = builder_.CreateSelect(small, rounded(digits, by), result);
  }
  V* const largest = constant(to.largest());
  V* beyond = largest;
  if (!finite && to.infinite) {
    V* const infinity = constant(to.infinity());
    V* const source_infinite = builder_.CreateICmpEQ(magnitude, constant(from.infinity()));
    if (rounding == Rounding::nearest || rounding == Rounding::away)
      beyond = infinity;
    else if (rounding == Rounding::down)
      beyond = builder_.CreateSelect(negative, infinity, largest);
    else if (rounding == Rounding::up)
      beyond = builder_.CreateSelect(negative, largest, infinity);
    beyond = builder_.CreateSelect(source_infinite, infinity, beyond);
  }
  result = builder_.CreateSelect(builder_.CreateICmpUGT(result, largest), beyond, result);
  result =
      builder_.CreateOr(result, builder_.CreateSelect(negative, constant(to.sign()), constant(0)));
  result = builder_.CreateSelect(builder_.CreateICmpUGT(magnitude, constant(from.infinity())),
                                 constant(to.nan()), result);
  return builder_.CreateTrunc(result, target);
}

// Zero of its sign instead of a number that would be subnormal in the format: one that has not
// reached the smallest normal number when it is rounded to the format's digits, however small.
llvm::Value* Emitter::flushed_result(V* number, const Format& to, Rounding rounding) {
  llvm::Type* const own = number->getType();
  const double least = std::ldexp(1.0, 1 - static_cast<int>(to.bias()));
  const double digit = std::ldexp(least, -1 - static_cast<int>(to.mantissa));  // below the least
  const auto below = [&](V* x, double limit, bool too) {
    V* const bound = ConstantFP::get(own, limit);
    return too ? builder_.CreateFCmpOLE(x, bound) : builder_.CreateFCmpOLT(x, bound);
  };
  V* const magnitude = intrinsic(llvm::Intrinsic::fabs, {number});
  V* const zero = ConstantFP::get(own, 0.0);
  V* lost;
  if (rounding == Rounding::nearest) {
    lost = below(magnitude, least - digit / 2, false);
  } else if (rounding == Rounding::zero) {
    lost = below(magnitude, least, false);
  } else {
    V* const away = rounding == Rounding::up ? builder_.CreateFCmpOGT(number, zero)
                                             : builder_.CreateFCmpOLT(number, zero);
    lost = builder_.CreateSelect(away, below(magnitude, least - digit, true),
                                 below(magnitude, least, false));
  }
  V* const none = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, number);
  return builder_.CreateSelect(lost, none, number);
}

// `converted`, or where `number` is a NaN of double precision what is left of that.
llvm::Value* Emitter::nan_in(V* number, V* converted, const Format& to) {
  V* const bits = bits_as(number, builder_.getInt64Ty());
  llvm::Type* const own = bits->getType();
  V* const payload = builder_.CreateLShr(bits, ConstantInt::get(own, 52 - to.mantissa));
  V* const kept = builder_.CreateAnd(payload, ConstantInt::get(own, to.nan()));
  V* const quiet = ConstantInt::get(own, to.infinity() | uint64_t{1} << (to.mantissa - 1));
  V* const sign =
      builder_.CreateAnd(builder_.CreateLShr(bits, ConstantInt::get(own, 64 - to.width)),
                         ConstantInt::get(own, to.sign()));
  V* const nan = builder_.CreateOr(builder_.CreateOr(kept, quiet), sign);
  return builder_.CreateSelect(builder_.CreateFCmpUNO(number, number),
                               builder_.CreateTrunc(nan, converted->getType()), converted);
}

// The f32 number that the bits of a small format are; exact. NaN stays one, with any payload.
llvm::Value* Emitter::widen(V* bits, const Format& from) {
  llvm::Type* const number = like(bits, builder_.getFloatTy());
  llvm::Type* const own = like(bits, builder_.getInt32Ty());
  if (from.width == 16 && from.mantissa == 10 && input_.request.vectors != Vectors::sse)
    return builder_.CreateFPExt(bits_as(bits, builder_.getHalfTy()), number);
  const auto constant = [&](uint64_t value) { return ConstantInt::get(own, value); };
  V* const word = builder_.CreateZExt(bits, own);
  if (from.exponent == 8)
    return builder_.CreateBitCast(builder_.CreateShl(word, constant(32 - from.width)), number);
  V* const magnitude = builder_.CreateAnd(word, constant(from.sign() - 1));
  const unsigned shift = f32_format.mantissa - from.mantissa;
  const uint64_t bias = f32_format.bias() - from.bias();
  V* const moved = builder_.CreateShl(magnitude, constant(shift));
  V* const normal = builder_.CreateAdd(moved, constant(bias << f32_format.mantissa));
  // Subnormal: so many of the smallest.
  const double unit = 1.0 / static_cast<double>(uint64_t{1} << (from.bias() - 1 + from.mantissa));
  V* const small = builder_.CreateBitCast(
      builder_.CreateFMul(builder_.CreateSIToFP(magnitude, number), ConstantFP::get(number, unit)),
      own);
  V* result = builder_.CreateSelect(
      builder_.CreateICmpULT(magnitude, constant(uint64_t{1} << from.mantissa)), small, normal);
  V* const special = builder_.CreateICmpUGT(
      magnitude, constant(from.infinite ? from.infinity() - 1 : from.largest()));
  V* const unusual = from.infinite ? builder_.CreateOr(moved, constant(f32_format.infinity()))
                                   : static_cast<V*>(constant(f32_format.nan()));
  result = builder_.CreateSelect(special, unusual, result);
  V* const sign = builder_.CreateShl(builder_.CreateAnd(word, constant(from.sign())),
                                     constant(32 - from.width));
  return builder_.CreateBitCast(builder_.CreateOr(result, sign), number);
}

// To a whole number, which remains one with a point. Zero keeps the sign.
llvm::Value* Emitter::whole(V* x, Rounding rounding) {
  if (input_.request.vectors != Vectors::sse) {
    switch (rounding) {
      case Rounding::down:
        return intrinsic(llvm::Intrinsic::floor, {x});
      case Rounding::up:
        return intrinsic(llvm::Intrinsic::ceil, {x});
      case Rounding::zero:
        return intrinsic(llvm::Intrinsic::trunc, {x});
      default:
        return intrinsic(llvm::Intrinsic::roundeven, {x});
    }
  }
  // Adding 2^23 leaves no room for a fraction.
  llvm::Type* const own = x->getType();
  const bool single = own->getScalarType()->isFloatTy();
  V* const limit = ConstantFP::get(own, single ? 0x1p23 : 0x1p52);
  V* const magnitude = intrinsic(llvm::Intrinsic::fabs, {x});
  V* near = builder_.CreateFSub(builder_.CreateFAdd(magnitude, limit), limit);
  near = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, near, x);
  V* const one = ConstantFP::get(own, 1.0);
  V* const zero = ConstantFP::get(own, 0.0);
  const auto correct = [&](V* wrong, V* by) {
    return builder_.CreateFAdd(near, builder_.CreateSelect(wrong, by, zero));
  };
  V* const minus = ConstantFP::get(own, -1.0);
  V* const above = builder_.CreateFCmpOGT(near, x);
  V* const below = builder_.CreateFCmpOLT(near, x);
  V* const negative = builder_.CreateFCmpOLT(x, zero);
  V* result = near;
  if (rounding == Rounding::down) result = correct(above, minus);
  if (rounding == Rounding::up) result = correct(below, one);
  if (rounding == Rounding::zero)
    result = builder_.CreateSelect(negative, correct(below, one), correct(above, minus));
  result = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  // A sum makes a quiet NaN of a signalling one.
  return builder_.CreateSelect(builder_.CreateFCmpOLT(magnitude, limit), result,
                               builder_.CreateFAdd(x, zero));
}

}  // namespace cuvette::ptx
