// SPDX-License-Identifier: Apache-2.0
// cvt: between all types of numbers, with each rounding.
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

bool is_pair(Type type) {
  return kind_of(type) == TypeKind::packed && type != Type::u16x2 && type != Type::s16x2;
}

// The type whose registers hold numbers of `type` where it is computed with their bits.
Type held_as(Type type) {
  if (is_small(type)) return size_of(type) == 2 ? Type::b16 : Type::b32;
  if (type == Type::tf32) return Type::b32;
  return is_pair(type) ? Type::b16 : type;
}

}  // namespace

void Emitter::emit_cvt(const Instruction& i) {
  if (i.has(dot::pack)) return emit_cvt_pack(i);
  if (i.types.size() != 2) return unsupported(i);
  const Type to = i.types[0], from = i.types[1];
  if (i.has(dot::rs)) return unsupported(i);
  if (is_pair(to) || is_pair(from)) return emit_cvt_pair(i);
  const bool to_float = is_floating(to), from_float = is_floating(from);
  if (!to_float && !from_float && !i.has(dot::sat)) return emit_resize(i, to, from);
  if (to == from && (to == Type::f64 || to == Type::f32) && i.modifiers.empty())
    return write(i.operands[0], read(i.operands[1], held_as(from)), held_as(to));
  elementwise(i, {held_as(from)}, held_as(to), [&](const std::vector<V*>& v) -> V* {
    V* x = v[0];
    if (!from_float) {
      if (!to_float) return saturated_integer(x, from, to);
      V* const number = number_of_integer(x, from, to, rounding_of(i));
      if (!i.has(dot::sat)) return number;
      if (to == Type::f32 || to == Type::f64) return saturate(number);
      return narrow(saturate(widen(number, format_of(to))), format_of(to), Rounding::nearest,
                    false);
    }
    if (is_small(from)) x = widen(x, format_of(from));
    if (i.has(dot::ftz) && from == Type::f32 && to != Type::f16) x = canonical(flush(x));
    if (!to_float) return integer_of_number(x, from, to, rounding_of(i));
    return number_of_number(i, x, from, to);
  });
}

// Two integers side by side, the second lowest; of bytes, behind the low half of a third operand.
void Emitter::emit_cvt_pack(const Instruction& i) {
  const bool bytes = i.types.size() == 3;
  const Type to = i.types[0];
  if (i.types.size() < 2 || i.types[1] != Type::s32 || !i.has(dot::sat) || !is_integer(to) ||
      size_of(to) != (bytes ? 1 : 2) || i.operands.size() != i.types.size() + 1)
    return unsupported(i);
  const auto pack = [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const word = v[0]->getType();
    const auto part = [&](V* x) {
      return builder_.CreateZExt(saturated_integer(x, Type::s32, to), word);
    };
    V* const high = builder_.CreateShl(part(v[0]), ConstantInt::get(word, 8 * size_of(to)));
    V* const pair = builder_.CreateOr(high, part(v[1]));
    return bytes ? builder_.CreateOr(builder_.CreateShl(v[2], ConstantInt::get(word, 16)), pair)
                 : pair;
  };
  if (bytes)
    elementwise(i, {Type::s32, Type::s32, Type::b32}, Type::b32, pack);
  else
    elementwise(i, {Type::s32, Type::s32}, Type::b32, pack);
}

llvm::Value* Emitter::saturated_integer(V* x, Type from, Type to) {
  const uint32_t bits = 8 * size_of(from), target_bits = 8 * size_of(to);
  const auto limit = [&](Type type, bool high, uint32_t width) {
    const uint32_t own = 8 * size_of(type);
    const llvm::APInt least =
        is_signed(type) ? llvm::APInt::getSignedMinValue(own) : llvm::APInt(own, 0);
    const llvm::APInt most =
        is_signed(type) ? llvm::APInt::getSignedMaxValue(own) : llvm::APInt::getMaxValue(own);
    return is_signed(type) ? (high ? most : least).sext(width) : (high ? most : least).zext(width);
  };
  // Limits that the source can reach are applied in its own type.
  const auto bound = [&](llvm::Intrinsic::ID id, bool high) {
    const llvm::APInt here = limit(from, high, 80), there = limit(to, high, 80);
    if (high ? there.sge(here) : there.sle(here)) return;
    x = builder_.CreateBinaryIntrinsic(id, x, ConstantInt::get(x->getType(), there.trunc(bits)));
  };
  bound(is_signed(from) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, false);
  bound(is_signed(from) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, true);
  llvm::Type* const target = like(x, builder_.getIntNTy(target_bits));
  return is_signed(from) ? builder_.CreateSExtOrTrunc(x, target)
                         : builder_.CreateZExtOrTrunc(x, target);
}

llvm::Value* Emitter::number_of_integer(V* x, Type from, Type to, Rounding rounding) {
  llvm::Type* const single = like(x, builder_.getFloatTy());
  llvm::Type* const wide = like(x, builder_.getDoubleTy());
  const auto converted = [&](V* value, llvm::Type* type) {
    return is_signed(from) ? builder_.CreateSIToFP(value, type)
                           : builder_.CreateUIToFP(value, type);
  };
  const bool plain = to == Type::f32 || to == Type::f64;
  if (plain && rounding == Rounding::nearest) return converted(x, to == Type::f32 ? single : wide);
  if (size_of(from) <= 4) {
    V* const exact = converted(x, wide);
    if (to == Type::f64) return exact;
    V* const bits = narrow(exact, format_of(to), rounding, false);
    return to == Type::f32 ? builder_.CreateBitCast(bits, single) : bits;
  }
  llvm::Type* const own = x->getType();
  if (to == Type::f64) {
    // Two exact halves, whose sum is rounded.
    V* const low = builder_.CreateAnd(x, ConstantInt::get(own, UINT32_MAX));
    V* const high = builder_.CreateSub(x, low);
    return directed(Opcode::add, rounding,
                    {converted(high, wide), builder_.CreateUIToFP(low, wide)});
  }
  // Of more than 53 bits the last stands for all that are cut off: enough to round rightly.
  V* const cut = builder_.CreateAnd(x, ConstantInt::get(own, 2047));
  V* const some =
      builder_.CreateZExt(builder_.CreateICmpNE(cut, llvm::Constant::getNullValue(own)), own);
  V* const sticky = builder_.CreateOr(builder_.CreateAnd(x, ConstantInt::get(own, ~uint64_t{2047})),
                                      builder_.CreateShl(some, ConstantInt::get(own, 11)));
  V* const magnitude =
      is_signed(from) ? intrinsic(llvm::Intrinsic::abs, {x, builder_.getFalse()}) : x;
  V* const large = builder_.CreateICmpUGT(magnitude, ConstantInt::get(own, uint64_t{1} << 53));
  V* const exact = converted(builder_.CreateSelect(large, sticky, x), wide);
  V* const bits = narrow(exact, format_of(to), rounding, false);
  return to == Type::f32 ? builder_.CreateBitCast(bits, single) : bits;
}

// What is before the point, or the nearest that there is, and `none` of no number. LLVM has an
// intrinsic for that, but goes through vectors element by element.
llvm::Value* Emitter::saturated(V* number, llvm::Type* target, bool with_sign, uint64_t none) {
  const unsigned bits = target->getScalarSizeInBits();
  llvm::Type* const own = number->getType();
  V* const limit = llvm::ConstantFP::get(own, std::ldexp(1.0, static_cast<int>(bits - with_sign)));
  V* const least = with_sign ? builder_.CreateFNeg(limit) : llvm::ConstantFP::get(own, 0.0);
  // As the machine's maximum does it: what is no number is the least one.
  V* const inside = builder_.CreateSelect(builder_.CreateFCmpOGT(number, least), number, least);
  V* result =
      with_sign ? builder_.CreateFPToSI(inside, target) : builder_.CreateFPToUI(inside, target);
  const llvm::APInt most =
      with_sign ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  result = builder_.CreateSelect(builder_.CreateFCmpOGE(inside, limit),
                                 ConstantInt::get(target, most), result);
  if (!with_sign && none == 0) return result;
  return builder_.CreateSelect(builder_.CreateFCmpUNO(number, number),
                               ConstantInt::get(target, none), result);
}

// What is too large or too small is the largest or the smallest. NaN is 0, or, where either side
// has 64 bits, the highest bit of the result.
llvm::Value* Emitter::integer_of_number(V* x, Type from, Type to, Rounding rounding) {
  V* const number = rounding == Rounding::zero ? x : whole(x, rounding);
  const uint32_t bits = 8 * size_of(to);
  const bool word = bits <= 32;
  const bool with_sign = is_signed(to) || bits < 32;  // small ones are cut down below
  const uint64_t none = from == Type::f64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0;
  llvm::Type* const target = like(x, builder_.getIntNTy(word ? 32 : 64));
  if (bits >= 32) return saturated(number, target, with_sign, none);
  V* result = saturated(number, target, with_sign, 0);
  const int64_t least = is_signed(to) ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t most = is_signed(to) ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
  const auto constant = [&](int64_t value) {
    return ConstantInt::get(target, static_cast<uint64_t>(value), true);
  };
  result = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result, constant(least));
  result = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, result, constant(most));
  result = builder_.CreateTrunc(result, like(x, builder_.getIntNTy(bits)));
  if (none == 0) return result;
  return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x),
                               ConstantInt::get(result->getType(), none), result);
}

// `x` is an f32 or f64 number.
llvm::Value* Emitter::number_of_number(const Instruction& i, V* x, Type from, Type to) {
  const bool rounds = i.has(dot::rni) || i.has(dot::rzi) || i.has(dot::rmi) || i.has(dot::rpi);
  const Rounding rounding = rounding_of(i);
  const bool ftz = i.has(dot::ftz);
  if (rounds) x = whole(x, rounding);
  if (to == Type::f64) {
    if (from != Type::f64) x = builder_.CreateFPExt(x, like(x, builder_.getDoubleTy()));
    return i.has(dot::sat) ? saturate(x) : x;
  }
  if (to == Type::f32) {
    if (from == Type::f64) {
      if (ftz) x = flushed_result(x, f32_format, rounding);
      x = rounding == Rounding::nearest
              ? builder_.CreateFPTrunc(x, like(x, builder_.getFloatTy()))
              : bits_as(nan_in(x, narrow(x, f32_format, rounding, false), f32_format),
                        builder_.getFloatTy());
    } else if (rounds || from == Type::f16) {
      x = canonical(x);
    }
    return i.has(dot::sat) ? saturate(x) : x;
  }
  if (i.has(dot::sat)) x = saturate(x);
  const Format format = format_of(to);
  V* result = narrow(x, format, rounds ? Rounding::nearest : rounding, i.has(dot::satfinite));
  if (from == Type::f64 && !i.has(dot::sat)) result = nan_in(x, result, format);
  if (i.has(dot::relu)) result = rectified(result, format);
  if (to != Type::tf32) return result;
  llvm::Type* const own = like(x, builder_.getInt32Ty());
  result = builder_.CreateShl(builder_.CreateZExt(result, own), ConstantInt::get(own, 13));
  if (rounding != Rounding::away) return result;
  // This one form only cuts a NaN down; and with .satfinite it takes a digit off it, as it makes
  // the largest number of infinity.
  V* cut = builder_.CreateAnd(builder_.CreateBitCast(x, own), ConstantInt::get(own, ~8191u));
  if (i.has(dot::satfinite)) cut = builder_.CreateSub(cut, ConstantInt::get(own, 8192));
  return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), cut, result);
}

// .relu: what is below 0 is 0.
llvm::Value* Emitter::rectified(V* bits, const Format& format) {
  llvm::Type* const own = bits->getType();
  V* const negative =
      builder_.CreateICmpNE(builder_.CreateAnd(bits, ConstantInt::get(own, format.sign())),
                            llvm::Constant::getNullValue(own));
  return builder_.CreateSelect(negative, llvm::Constant::getNullValue(own), bits);
}

// Two numbers at a time: the first operand becomes the upper half.
void Emitter::emit_cvt_pair(const Instruction& i) {
  const Type to = i.types[0], from = i.types[1];
  const Format format = format_of(to);
  const bool finite = i.has(dot::satfinite);
  const auto join = [&](V* high, V* low, unsigned width) -> V* {
    llvm::Type* const whole_type = like(high, builder_.getIntNTy(2 * width));
    return builder_.CreateOr(builder_.CreateShl(builder_.CreateZExt(high, whole_type),
                                                ConstantInt::get(whole_type, width)),
                             builder_.CreateZExt(low, whole_type));
  };
  const auto half = [&](V* bits, unsigned width, bool high) {
    V* const moved =
        high ? builder_.CreateLShr(bits, ConstantInt::get(bits->getType(), width)) : bits;
    return builder_.CreateTrunc(moved, like(bits, builder_.getIntNTy(width)));
  };
  const auto convert = [&](V* x) {
    V* const bits = narrow(x, format, rounding_of(i), finite);
    return i.has(dot::relu) ? rectified(bits, format) : bits;
  };
  if (from == Type::f32 && is_pair(to) && i.operands.size() == 3)
    return elementwise(i, {Type::f32, Type::f32}, held_as(to), [&](const std::vector<V*>& v) {
      V* const high = convert(v[0]);
      return join(high, convert(v[1]), format.width);
    });
  if (!is_pair(to) || !is_pair(from)) return unsupported(i);
  const Format source = format_of(from);
  elementwise(i, {held_as(from)}, held_as(to), [&](const std::vector<V*>& v) {
    V* const high = convert(widen(half(v[0], source.width, true), source));
    return join(high, convert(widen(half(v[0], source.width, false), source)), format.width);
  });
}

}  // namespace cuvette::ptx
