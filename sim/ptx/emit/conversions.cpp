// SPDX-License-Identifier: Apache-2.0
// cvt: between all types of numbers, with each rounding.
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/integers.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {
namespace {

void emit_cvt_pack(WarpBuilder& w, const Instruction& i);
llvm::Value* saturated_integer(WarpBuilder& w, V* x, Type from, Type to);
llvm::Value* number_of_integer(WarpBuilder& w, V* x, Type from, Type to, Rounding rounding);
llvm::Value* integer_of_number(WarpBuilder& w, V* x, Type from, Type to, Rounding rounding);
llvm::Value* number_of_number(WarpBuilder& w, const Instruction& i, V* x, Type from, Type to);
void emit_cvt_pair(WarpBuilder& w, const Instruction& i);

}  // namespace

using llvm::ConstantInt;

namespace {

bool is_pair(Type type) {
  return kind_of(type) == TypeKind::packed && type != Type::u16x2 && type != Type::s16x2;
}

// The type of registers that hold numbers of `type` where it is computed with their bits.
Type held_as(Type type) {
  if (is_small(type)) return size_of(type) == 2 ? Type::b16 : Type::b32;
  if (type == Type::tf32) return Type::b32;
  return is_pair(type) ? Type::b16 : type;
}

}  // namespace

void emit_cvt(WarpBuilder& w, const Instruction& i) {
  if (i.has(dot::pack)) return emit_cvt_pack(w, i);
  if (i.types.size() != 2) return w.unsupported(i);
  const Type to = i.types[0], from = i.types[1];
  if (i.has(dot::rs)) return w.unsupported(i);
  if (is_pair(to) || is_pair(from)) return emit_cvt_pair(w, i);
  const bool to_float = is_floating(to), from_float = is_floating(from);
  if (!to_float && !from_float && !i.has(dot::sat)) return emit_resize(w, i, to, from);
  if (to == from && (to == Type::f64 || to == Type::f32) && i.modifiers.empty())
    return w.write(i.operands[0], w.read(i.operands[1], held_as(from)), held_as(to));
  w.elementwise(i, {held_as(from)}, held_as(to), [&](const std::vector<V*>& v) -> V* {
    V* x = v[0];
    if (!from_float) {
      if (!to_float) return saturated_integer(w, x, from, to);
      V* const number = number_of_integer(w, x, from, to, rounding_of(i));
      if (!i.has(dot::sat)) return number;
      if (to == Type::f32 || to == Type::f64) return saturate(w, number);
      return narrow(w, saturate(w, widen(w, number, format_of(to))), format_of(to),
                    Rounding::nearest, false);
    }
    if (is_small(from)) x = widen(w, x, format_of(from));
    if (i.has(dot::ftz) && from == Type::f32 && to != Type::f16) x = canonical(w, flush(w, x));
    if (!to_float) return integer_of_number(w, x, from, to, rounding_of(i));
    return number_of_number(w, i, x, from, to);
  });
}

namespace {

// Two integers side by side, the second lowest; of bytes, above the low half of a third operand.
void emit_cvt_pack(WarpBuilder& w, const Instruction& i) {
  const bool bytes = i.types.size() == 3;
  const Type to = i.types[0];
  if (i.types.size() < 2 || i.types[1] != Type::s32 || !i.has(dot::sat) || !is_integer(to) ||
      size_of(to) != (bytes ? 1 : 2) || i.operands.size() != i.types.size() + 1)
    return w.unsupported(i);
  const auto pack = [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const word = v[0]->getType();
    const auto part = [&](V* x) {
      return w.CreateZExt(saturated_integer(w, x, Type::s32, to), word);
    };
    V* const high = w.CreateShl(part(v[0]), ConstantInt::get(word, 8 * size_of(to)));
    V* const pair = w.CreateOr(high, part(v[1]));
    return bytes ? w.CreateOr(w.CreateShl(v[2], ConstantInt::get(word, 16)), pair) : pair;
  };
  if (bytes)
    w.elementwise(i, {Type::s32, Type::s32, Type::b32}, Type::b32, pack);
  else
    w.elementwise(i, {Type::s32, Type::s32}, Type::b32, pack);
}

llvm::Value* saturated_integer(WarpBuilder& w, V* x, Type from, Type to) {
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
    x = w.CreateBinaryIntrinsic(id, x, ConstantInt::get(x->getType(), there.trunc(bits)));
  };
  bound(is_signed(from) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, false);
  bound(is_signed(from) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, true);
  llvm::Type* const target = like(w, x, w.getIntNTy(target_bits));
  return is_signed(from) ? w.CreateSExtOrTrunc(x, target) : w.CreateZExtOrTrunc(x, target);
}

llvm::Value* number_of_integer(WarpBuilder& w, V* x, Type from, Type to, Rounding rounding) {
  llvm::Type* const single = like(w, x, w.getFloatTy());
  llvm::Type* const wide = like(w, x, w.getDoubleTy());
  const auto converted = [&](V* value, llvm::Type* type) {
    return is_signed(from) ? w.CreateSIToFP(value, type) : w.CreateUIToFP(value, type);
  };
  const bool plain = to == Type::f32 || to == Type::f64;
  if (plain && rounding == Rounding::nearest) return converted(x, to == Type::f32 ? single : wide);
  if (size_of(from) <= 4) {
    V* const exact = converted(x, wide);
    if (to == Type::f64) return exact;
    V* const bits = narrow(w, exact, format_of(to), rounding, false);
    return to == Type::f32 ? w.CreateBitCast(bits, single) : bits;
  }
  llvm::Type* const own = x->getType();
  if (to == Type::f64) {
    // Two exact halves; their sum is rounded.
    V* const low = w.CreateAnd(x, ConstantInt::get(own, UINT32_MAX));
    V* const high = w.CreateSub(x, low);
    return directed(w, Opcode::add, rounding, {converted(high, wide), w.CreateUIToFP(low, wide)});
  }
  // Beyond 53 bits, the last one kept represents all that are cut off: a sticky bit.
  V* const cut = w.CreateAnd(x, ConstantInt::get(own, 2047));
  V* const some = w.CreateZExt(w.CreateICmpNE(cut, llvm::Constant::getNullValue(own)), own);
  V* const sticky = w.CreateOr(w.CreateAnd(x, ConstantInt::get(own, ~uint64_t{2047})),
                               w.CreateShl(some, ConstantInt::get(own, 11)));
  V* const magnitude = is_signed(from) ? w.intrinsic(llvm::Intrinsic::abs, {x, w.getFalse()}) : x;
  V* const large = w.CreateICmpUGT(magnitude, ConstantInt::get(own, uint64_t{1} << 53));
  V* const exact = converted(w.CreateSelect(large, sticky, x), wide);
  V* const bits = narrow(w, exact, format_of(to), rounding, false);
  return to == Type::f32 ? w.CreateBitCast(bits, single) : bits;
}

// The integral part, or the nearest integer that there is, and `none` for NaN. LLVM has an
// intrinsic for that, but goes through vectors element by element.
llvm::Value* saturated(WarpBuilder& w, V* number, llvm::Type* target, bool with_sign,
                       uint64_t none) {
  const unsigned bits = target->getScalarSizeInBits();
  llvm::Type* const own = number->getType();
  V* const limit = llvm::ConstantFP::get(own, std::ldexp(1.0, static_cast<int>(bits - with_sign)));
  V* const least = with_sign ? w.CreateFNeg(limit) : llvm::ConstantFP::get(own, 0.0);
  // Like the processor's maximum: NaN becomes the least number.
  V* const inside = w.CreateSelect(w.CreateFCmpOGT(number, least), number, least);
  V* result = with_sign ? w.CreateFPToSI(inside, target) : w.CreateFPToUI(inside, target);
  const llvm::APInt most =
      with_sign ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  result = w.CreateSelect(w.CreateFCmpOGE(inside, limit), ConstantInt::get(target, most), result);
  if (!with_sign && none == 0) return result;
  return w.CreateSelect(w.CreateFCmpUNO(number, number), ConstantInt::get(target, none), result);
}

// Values out of range become the largest or the smallest integer. NaN becomes 0 or, where either
// side has 64 bits, the highest bit of the result.
llvm::Value* integer_of_number(WarpBuilder& w, V* x, Type from, Type to, Rounding rounding) {
  V* const number = rounding == Rounding::zero ? x : whole(w, x, rounding);
  const uint32_t bits = 8 * size_of(to);
  const bool word = bits <= 32;
  const bool with_sign = is_signed(to) || bits < 32;  // small ones are cut down below
  const uint64_t none = from == Type::f64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0;
  llvm::Type* const target = like(w, x, w.getIntNTy(word ? 32 : 64));
  if (bits >= 32) return saturated(w, number, target, with_sign, none);
  V* result = saturated(w, number, target, with_sign, 0);
  const int64_t least = is_signed(to) ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t most = is_signed(to) ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
  const auto constant = [&](int64_t value) {
    return ConstantInt::get(target, static_cast<uint64_t>(value), true);
  };
  result = w.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result, constant(least));
  result = w.CreateBinaryIntrinsic(llvm::Intrinsic::smin, result, constant(most));
  result = w.CreateTrunc(result, like(w, x, w.getIntNTy(bits)));
  if (none == 0) return result;
  return w.CreateSelect(w.CreateFCmpUNO(x, x), ConstantInt::get(result->getType(), none), result);
}

// `x` is an f32 or f64 number.
llvm::Value* number_of_number(WarpBuilder& w, const Instruction& i, V* x, Type from, Type to) {
  const bool rounds = i.has(dot::rni) || i.has(dot::rzi) || i.has(dot::rmi) || i.has(dot::rpi);
  const Rounding rounding = rounding_of(i);
  const bool ftz = i.has(dot::ftz);
  if (rounds) x = whole(w, x, rounding);
  if (to == Type::f64) {
    if (from != Type::f64) x = w.CreateFPExt(x, like(w, x, w.getDoubleTy()));
    return i.has(dot::sat) ? saturate(w, x) : x;
  }
  if (to == Type::f32) {
    if (from == Type::f64) {
      if (ftz) x = flushed_result(w, x, f32_format, rounding);
      x = rounding == Rounding::nearest
              ? w.CreateFPTrunc(x, like(w, x, w.getFloatTy()))
              : w.bits_as(nan_in(w, x, narrow(w, x, f32_format, rounding, false), f32_format),
                          w.getFloatTy());
    } else if (rounds || from == Type::f16) {
      x = canonical(w, x);
    }
    return i.has(dot::sat) ? saturate(w, x) : x;
  }
  if (i.has(dot::sat)) x = saturate(w, x);
  const Format format = format_of(to);
  V* result = narrow(w, x, format, rounds ? Rounding::nearest : rounding, i.has(dot::satfinite));
  if (from == Type::f64 && !i.has(dot::sat)) result = nan_in(w, x, result, format);
  if (i.has(dot::relu)) result = rectified(w, result, format);
  if (to != Type::tf32) return result;
  llvm::Type* const own = like(w, x, w.getInt32Ty());
  result = w.CreateShl(w.CreateZExt(result, own), ConstantInt::get(own, 13));
  if (rounding != Rounding::away) return result;
  // This one form only cuts a NaN down; and with .satfinite it takes a digit off it, as it makes
  // the largest number of infinity.
  V* cut = w.CreateAnd(w.CreateBitCast(x, own), ConstantInt::get(own, ~8191u));
  if (i.has(dot::satfinite)) cut = w.CreateSub(cut, ConstantInt::get(own, 8192));
  return w.CreateSelect(w.CreateFCmpUNO(x, x), cut, result);
}

// Two numbers at a time: the first operand becomes the upper half.
void emit_cvt_pair(WarpBuilder& w, const Instruction& i) {
  const Type to = i.types[0], from = i.types[1];
  const Format format = format_of(to);
  const bool finite = i.has(dot::satfinite);
  const auto join = [&](V* high, V* low, unsigned width) -> V* {
    llvm::Type* const whole_type = like(w, high, w.getIntNTy(2 * width));
    return w.CreateOr(
        w.CreateShl(w.CreateZExt(high, whole_type), ConstantInt::get(whole_type, width)),
        w.CreateZExt(low, whole_type));
  };
  const auto half = [&](V* bits, unsigned width, bool high) {
    V* const moved = high ? w.CreateLShr(bits, ConstantInt::get(bits->getType(), width)) : bits;
    return w.CreateTrunc(moved, like(w, bits, w.getIntNTy(width)));
  };
  const auto convert = [&](V* x) {
    V* const bits = narrow(w, x, format, rounding_of(i), finite);
    return i.has(dot::relu) ? rectified(w, bits, format) : bits;
  };
  if (from == Type::f32 && is_pair(to) && i.operands.size() == 3)
    return w.elementwise(i, {Type::f32, Type::f32}, held_as(to), [&](const std::vector<V*>& v) {
      V* const high = convert(v[0]);
      return join(high, convert(v[1]), format.width);
    });
  if (!is_pair(to) || !is_pair(from)) return w.unsupported(i);
  const Format source = format_of(from);
  w.elementwise(i, {held_as(from)}, held_as(to), [&](const std::vector<V*>& v) {
    V* const high = convert(widen(w, half(v[0], source.width, true), source));
    return join(high, convert(widen(w, half(v[0], source.width, false), source)), format.width);
  });
}

}  // namespace

}  // namespace cuvette::ptx
