// SPDX-License-Identifier: Apache-2.0
// Arithmetic of floating-point numbers. What the instruction says of rounding, flushing and
// saturating holds for it alone.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

// Subnormal numbers become zeros of their sign.
llvm::Value* Emitter::flush_bits(V* bits) {
  llvm::Type* const own = bits->getType();
  V* const exponent = builder_.CreateAnd(bits, ConstantInt::get(own, 0x7f800000));
  V* const zero = builder_.CreateAnd(bits, ConstantInt::get(own, 0x80000000));
  return builder_.CreateSelect(builder_.CreateICmpEQ(exponent, llvm::Constant::getNullValue(own)),
                               zero, bits);
}

llvm::Value* Emitter::flush(V* number) {
  V* const bits = bits_as(number, builder_.getInt32Ty());
  return bits_as(flush_bits(bits), builder_.getFloatTy());
}

// To [0, 1]; NaN becomes 0.
llvm::Value* Emitter::saturate(V* number) {
  llvm::Type* const own = number->getType();
  V* const positive = builder_.CreateSelect(
      builder_.CreateFCmpOGT(number, ConstantFP::get(own, 0.0)), number, ConstantFP::get(own, 0.0));
  return builder_.CreateSelect(builder_.CreateFCmpOLT(positive, ConstantFP::get(own, 1.0)),
                               positive, ConstantFP::get(own, 1.0));
}

void Emitter::emit_float_arithmetic(const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(i);
  if (i.has(dot::rz) || i.has(dot::rm) || i.has(dot::rp)) return emit_directed(i);
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  // Without .rn a product and a sum may become one.
  llvm::FastMathFlags flags;
  flags.setAllowContract(!i.has(dot::rn) && !i.has(dot::sat) && !ftz);
  const auto compute = [&](const std::vector<V*>& values) -> V* {
    std::vector<V*> v = values;
    if (ftz)
      for (V*& one : v) one = flush(one);
    llvm::IRBuilder<>::FastMathFlagGuard guard(builder_);
    builder_.setFastMathFlags(flags);
    V* result;
    if (i.opcode == Opcode::add)
      result = builder_.CreateFAdd(v[0], v[1]);
    else if (i.opcode == Opcode::sub)
      result = builder_.CreateFSub(v[0], v[1]);
    else if (i.opcode == Opcode::mul)
      result = builder_.CreateFMul(v[0], v[1]);
    else
      result = fused(v[0], v[1], v[2]);
    if (ftz) result = flush(result);
    return i.has(dot::sat) ? saturate(result) : result;
  };
  if (i.operands.size() == 4) return elementwise(i, {type, type, type}, type, compute);
  elementwise(i, {type, type}, type, compute);
}

// a * b + c, rounded once. Processors without the instruction are helped.
llvm::Value* Emitter::fused(V* a, V* b, V* c) {
  if (input_.request.vectors != Vectors::sse)
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  return math(
      a->getType()->getScalarType()->isFloatTy() ? MathFunction::fma_f32 : MathFunction::fma_f64,
      {a, b, c});
}

// An elementary function that the machine computes lane by lane.
llvm::Value* Emitter::math(MathFunction function, std::initializer_list<V*> arguments) {
  llvm::Type* const type = (*arguments.begin())->getType();
  llvm::Type* const scalar = type->getScalarType();
  std::vector<V*> places{i32(static_cast<uint32_t>(function))};
  llvm::AllocaInst* const result = array_of(scalar);
  places.push_back(result);
  for (V* const argument : arguments) {
    llvm::AllocaInst* const array = array_of(scalar);
    builder_.CreateStore(argument, array);
    places.push_back(array);
  }
  while (places.size() < 5) places.push_back(llvm::ConstantPointerNull::get(builder_.getPtrTy()));
  V* const lanes = type->isVectorTy() ? i32(0xffffffff) : i32(1);
  call_helper(offsetof(Helpers, math), builder_.getVoidTy(), places[0], places[1], places[2],
              places[3], places[4], lanes);
  return builder_.CreateLoad(type, result);
}

void Emitter::emit_float_division(const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return unsupported(i);
  if (i.has(dot::rz) || i.has(dot::rm) || i.has(dot::rp)) return emit_directed(i);
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
    if (i.has(dot::approx) && type == Type::f32) {
      // By the reciprocal: those of the largest numbers are subnormal, and lost.
      V* const a = ftz ? flush(v[0]) : v[0];
      V* const b = ftz ? flush(v[1]) : v[1];
      llvm::Type* const own = b->getType();
      V* const magnitude = intrinsic(llvm::Intrinsic::fabs, {b});
      V* const large =
          builder_.CreateAnd(builder_.CreateFCmpOGT(magnitude, ConstantFP::get(own, 0x1p126)),
                             builder_.CreateFCmpOLT(magnitude, ConstantFP::getInfinity(own)));
      V* const none =
          builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, ConstantFP::get(own, 0.0), b);
      V* const result = canonical(
          builder_.CreateSelect(large, builder_.CreateFMul(a, none), builder_.CreateFDiv(a, b)));
      return ftz ? flush(result) : result;
    }
    V* const quotient = ftz ? flush(builder_.CreateFDiv(flush(v[0]), flush(v[1])))
                            : builder_.CreateFDiv(v[0], v[1]);
    return type == Type::f32 ? canonical(quotient) : quotient;
  });
}

// One operand that is no number is left out; -0 is less than +0. With .NaN it decides.
void Emitter::emit_float_min_max(const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(i);
  const bool least = i.opcode == Opcode::min, ftz = i.has(dot::ftz);
  const auto two = [&](V* a, V* b) -> V* {
    llvm::Type* const own = a->getType();
    llvm::Type* const whole_scalar = builder_.getIntNTy(8 * size_of(type));
    V* const a_bits = bits_as(a, whole_scalar);
    V* const b_bits = bits_as(b, whole_scalar);
    V* picked = intrinsic(least ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum, {a, b});
    // Equal: zeros of both signs.
    V* const both = least ? builder_.CreateOr(a_bits, b_bits) : builder_.CreateAnd(a_bits, b_bits);
    picked = builder_.CreateSelect(builder_.CreateFCmpOEQ(a, b), builder_.CreateBitCast(both, own),
                                   picked);
    // Of two that are none the machine makes its own, in double precision the second.
    V* const nan =
        type == Type::f32
            ? static_cast<V*>(ConstantInt::get(a_bits->getType(), f32_format.nan()))
            : builder_.CreateOr(b_bits, ConstantInt::get(b_bits->getType(), uint64_t{1} << 51));
    V* const none =
        i.has(dot::NaN) ? builder_.CreateFCmpUNO(a, b) : builder_.CreateFCmpUNO(picked, picked);
    return builder_.CreateSelect(none, builder_.CreateBitCast(nan, own), picked);
  };
  const auto compute = [&](const std::vector<V*>& values) -> V* {
    std::vector<V*> v = values;
    if (ftz)
      for (V*& one : v) one = flush(one);
    if (i.has(dot::xorsign)) {
      // Of the magnitudes, with the sign of the product.
      llvm::Type* const number = v[0]->getType();
      V* const a = bits_as(v[0], builder_.getInt32Ty());
      V* const sign =
          builder_.CreateAnd(builder_.CreateXor(a, bits_as(v[1], builder_.getInt32Ty())),
                             ConstantInt::get(a->getType(), 0x80000000));
      V* const least_or_most =
          two(intrinsic(llvm::Intrinsic::fabs, {v[0]}), intrinsic(llvm::Intrinsic::fabs, {v[1]}));
      V* const signed_result =
          builder_.CreateOr(bits_as(least_or_most, builder_.getInt32Ty()), sign);
      return canonical(builder_.CreateBitCast(signed_result, number));
    }
    V* result = two(v[0], v[1]);
    if (v.size() == 3) result = two(result, v[2]);
    return result;
  };
  if (i.operands.size() == 4) return elementwise(i, {type, type, type}, type, compute);
  elementwise(i, {type, type}, type, compute);
}

// abs, neg. What is no number comes out as the machine's NaN; that of double precision goes through
// as it is.
void Emitter::emit_float_sign(const Instruction& i) {
  const Type type = i.type();
  const bool negate = i.opcode == Opcode::neg;
  const Format format = format_of(type);
  const auto compute = [&](const std::vector<V*>& v) -> V* {
    V* x = v[0];
    llvm::Type* const own = x->getType();
    if (i.has(dot::ftz)) x = type == Type::f32 ? flush_bits(x) : flush_small(x, format);
    V* const sign = ConstantInt::get(own, format.sign());
    V* const result =
        negate ? builder_.CreateXor(x, sign) : builder_.CreateAnd(x, builder_.CreateNot(sign));
    V* const magnitude = builder_.CreateAnd(x, ConstantInt::get(own, format.sign() - 1));
    V* const nan = builder_.CreateICmpUGT(magnitude, ConstantInt::get(own, format.infinity()));
    V* const canonical =
        type == Type::f64
            ? builder_.CreateOr(x, ConstantInt::get(own, uint64_t{1} << (format.mantissa - 1)))
            : static_cast<V*>(ConstantInt::get(own, format.nan()));
    return builder_.CreateSelect(nan, canonical, result);
  };
  if (is_small(type)) return each_small(i, type, compute);
  const Type bits = type == Type::f64 ? Type::b64 : Type::b32;
  elementwise(i, {bits}, bits, compute);
}

void Emitter::emit_float_test(const Instruction& i) {
  const Type type = i.type();
  const bool single = type == Type::f32;
  const Type bits = single ? Type::b32 : Type::b64;
  const uint64_t sign = single ? 0x80000000 : uint64_t{1} << 63;
  if (i.opcode == Opcode::copysign)
    return elementwise(i, {bits, bits}, bits, [&](const std::vector<V*>& v) {
      V* const mask = ConstantInt::get(v[0]->getType(), sign);
      return builder_.CreateOr(builder_.CreateAnd(v[0], mask),
                               builder_.CreateAnd(v[1], builder_.CreateNot(mask)));
    });
  elementwise(i, {bits}, Type::pred, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    const uint64_t exponent = single ? 0x7f800000 : uint64_t{0x7ff} << 52;
    V* const magnitude =
        builder_.CreateAnd(v[0], ConstantInt::get(own, ~sign & (single ? UINT32_MAX : UINT64_MAX)));
    V* const limit = ConstantInt::get(own, exponent);
    V* const least = ConstantInt::get(own, single ? 0x00800000 : uint64_t{1} << 52);
    if (i.has(dot::finite)) return builder_.CreateICmpULT(magnitude, limit);
    if (i.has(dot::infinite)) return builder_.CreateICmpEQ(magnitude, limit);
    if (i.has(dot::number)) return builder_.CreateICmpULE(magnitude, limit);
    if (i.has(dot::notanumber)) return builder_.CreateICmpUGT(magnitude, limit);
    if (i.has(dot::normal))  // 0 is one
      return builder_.CreateOr(builder_.CreateICmpEQ(magnitude, llvm::Constant::getNullValue(own)),
                               builder_.CreateAnd(builder_.CreateICmpUGE(magnitude, least),
                                                  builder_.CreateICmpULT(magnitude, limit)));
    return builder_.CreateAnd(builder_.CreateICmpNE(magnitude, llvm::Constant::getNullValue(own)),
                              builder_.CreateICmpULT(magnitude, least));
  });
}

}  // namespace cuvette::ptx
