// SPDX-License-Identifier: Apache-2.0
// Arithmetic of floating-point numbers. The instruction's rounding, flushing and saturating hold
// for it alone.
#include "sim/ptx/emit/floats.hpp"

#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {
namespace {

llvm::Value* math(WarpBuilder& w, MathFunction function, std::initializer_list<V*> arguments);

}  // namespace

using llvm::ConstantFP;
using llvm::ConstantInt;

// Subnormal numbers become zeros of their sign.
llvm::Value* flush_bits(WarpBuilder& w, V* bits) {
  llvm::Type* const own = bits->getType();
  V* const exponent = w.CreateAnd(bits, ConstantInt::get(own, 0x7f800000));
  V* const zero = w.CreateAnd(bits, ConstantInt::get(own, 0x80000000));
  return w.CreateSelect(w.CreateICmpEQ(exponent, llvm::Constant::getNullValue(own)), zero, bits);
}

llvm::Value* flush(WarpBuilder& w, V* number) {
  V* const bits = w.bits_as(number, w.getInt32Ty());
  return w.bits_as(flush_bits(w, bits), w.getFloatTy());
}

// To [0, 1]; NaN becomes 0.
llvm::Value* saturate(WarpBuilder& w, V* number) {
  llvm::Type* const own = number->getType();
  V* const positive = w.CreateSelect(w.CreateFCmpOGT(number, ConstantFP::get(own, 0.0)), number,
                                     ConstantFP::get(own, 0.0));
  return w.CreateSelect(w.CreateFCmpOLT(positive, ConstantFP::get(own, 1.0)), positive,
                        ConstantFP::get(own, 1.0));
}

void emit_float_arithmetic(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(w, i);
  if (i.has(dot::rz) || i.has(dot::rm) || i.has(dot::rp)) return emit_directed(w, i);
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  // Without .rn a product and a sum may be fused.
  llvm::FastMathFlags flags;
  flags.setAllowContract(!i.has(dot::rn) && !i.has(dot::sat) && !ftz);
  const auto compute = [&](const std::vector<V*>& values) -> V* {
    std::vector<V*> v = values;
    if (ftz)
      for (V*& one : v) one = flush(w, one);
    llvm::IRBuilder<>::FastMathFlagGuard guard(w);
    w.setFastMathFlags(flags);
    V* result;
    if (i.opcode == Opcode::add)
      result = w.CreateFAdd(v[0], v[1]);
    else if (i.opcode == Opcode::sub)
      result = w.CreateFSub(v[0], v[1]);
    else if (i.opcode == Opcode::mul)
      result = w.CreateFMul(v[0], v[1]);
    else
      result = fused(w, v[0], v[1], v[2]);
    if (ftz) result = flush(w, result);
    return i.has(dot::sat) ? saturate(w, result) : result;
  };
  if (i.operands.size() == 4) return w.elementwise(i, {type, type, type}, type, compute);
  w.elementwise(i, {type, type}, type, compute);
}

// a * b + c, rounded once. Processors without the instruction are helped.
llvm::Value* fused(WarpBuilder& w, V* a, V* b, V* c) {
  if (w.input().request.vectors != Vectors::sse)
    return w.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  return math(
      w, a->getType()->getScalarType()->isFloatTy() ? MathFunction::fma_f32 : MathFunction::fma_f64,
      {a, b, c});
}

namespace {

// An elementary function that the machine computes lane by lane.
llvm::Value* math(WarpBuilder& w, MathFunction function, std::initializer_list<V*> arguments) {
  llvm::Type* const type = (*arguments.begin())->getType();
  llvm::Type* const scalar = type->getScalarType();
  std::vector<V*> places{w.i32(static_cast<uint32_t>(function))};
  llvm::AllocaInst* const result = w.array_of(scalar);
  places.push_back(result);
  for (V* const argument : arguments) {
    llvm::AllocaInst* const array = w.array_of(scalar);
    w.CreateStore(argument, array);
    places.push_back(array);
  }
  while (places.size() < 5) places.push_back(llvm::ConstantPointerNull::get(w.getPtrTy()));
  V* const lanes = type->isVectorTy() ? w.i32(0xffffffff) : w.i32(1);
  w.call_helper(offsetof(Helpers, math), w.getVoidTy(), places[0], places[1], places[2], places[3],
                places[4], lanes);
  return w.CreateLoad(type, result);
}

}  // namespace

// One operand that is not a number is left out; -0 is less than +0. With .NaN it decides.
void emit_float_min_max(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return emit_small_floats(w, i);
  const bool least = i.opcode == Opcode::min, ftz = i.has(dot::ftz);
  const auto two = [&](V* a, V* b) -> V* {
    llvm::Type* const own = a->getType();
    llvm::Type* const whole_scalar = w.getIntNTy(8 * size_of(type));
    V* const a_bits = w.bits_as(a, whole_scalar);
    V* const b_bits = w.bits_as(b, whole_scalar);
    V* picked = w.intrinsic(least ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum, {a, b});
    // Equal: zeros of both signs.
    V* const both = least ? w.CreateOr(a_bits, b_bits) : w.CreateAnd(a_bits, b_bits);
    picked = w.CreateSelect(w.CreateFCmpOEQ(a, b), w.CreateBitCast(both, own), picked);
    // Two NaNs give the canonical NaN; in double precision, the second one, made quiet.
    V* const nan = type == Type::f32
                       ? static_cast<V*>(ConstantInt::get(a_bits->getType(), f32_format.nan()))
                       : w.CreateOr(b_bits, ConstantInt::get(b_bits->getType(), uint64_t{1} << 51));
    V* const none = i.has(dot::NaN) ? w.CreateFCmpUNO(a, b) : w.CreateFCmpUNO(picked, picked);
    return w.CreateSelect(none, w.CreateBitCast(nan, own), picked);
  };
  const auto compute = [&](const std::vector<V*>& values) -> V* {
    std::vector<V*> v = values;
    if (ftz)
      for (V*& one : v) one = flush(w, one);
    if (i.has(dot::xorsign)) {
      // Works on the magnitudes; the result has the sign of the product.
      llvm::Type* const number = v[0]->getType();
      V* const a = w.bits_as(v[0], w.getInt32Ty());
      V* const sign = w.CreateAnd(w.CreateXor(a, w.bits_as(v[1], w.getInt32Ty())),
                                  ConstantInt::get(a->getType(), 0x80000000));
      V* const least_or_most = two(w.intrinsic(llvm::Intrinsic::fabs, {v[0]}),
                                   w.intrinsic(llvm::Intrinsic::fabs, {v[1]}));
      V* const signed_result = w.CreateOr(w.bits_as(least_or_most, w.getInt32Ty()), sign);
      return canonical(w, w.CreateBitCast(signed_result, number));
    }
    V* result = two(v[0], v[1]);
    if (v.size() == 3) result = two(result, v[2]);
    return result;
  };
  if (i.operands.size() == 4) return w.elementwise(i, {type, type, type}, type, compute);
  w.elementwise(i, {type, type}, type, compute);
}

// abs, neg. A NaN comes out as the machine's NaN; a NaN of double precision goes through as it is.
void emit_float_sign(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool negate = i.opcode == Opcode::neg;
  const Format format = format_of(type);
  const auto compute = [&](const std::vector<V*>& v) -> V* {
    V* x = v[0];
    llvm::Type* const own = x->getType();
    if (i.has(dot::ftz)) x = type == Type::f32 ? flush_bits(w, x) : flush_small(w, x, format);
    V* const sign = ConstantInt::get(own, format.sign());
    V* const result = negate ? w.CreateXor(x, sign) : w.CreateAnd(x, w.CreateNot(sign));
    V* const magnitude = w.CreateAnd(x, ConstantInt::get(own, format.sign() - 1));
    V* const nan = w.CreateICmpUGT(magnitude, ConstantInt::get(own, format.infinity()));
    V* const canonical =
        type == Type::f64
            ? w.CreateOr(x, ConstantInt::get(own, uint64_t{1} << (format.mantissa - 1)))
            : static_cast<V*>(ConstantInt::get(own, format.nan()));
    return w.CreateSelect(nan, canonical, result);
  };
  if (is_small(type)) return each_small(w, i, type, compute);
  const Type bits = type == Type::f64 ? Type::b64 : Type::b32;
  w.elementwise(i, {bits}, bits, compute);
}

void emit_float_test(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool single = type == Type::f32;
  const Type bits = single ? Type::b32 : Type::b64;
  const uint64_t sign = single ? 0x80000000 : uint64_t{1} << 63;
  if (i.opcode == Opcode::copysign)
    return w.elementwise(i, {bits, bits}, bits, [&](const std::vector<V*>& v) {
      V* const mask = ConstantInt::get(v[0]->getType(), sign);
      return w.CreateOr(w.CreateAnd(v[0], mask), w.CreateAnd(v[1], w.CreateNot(mask)));
    });
  w.elementwise(i, {bits}, Type::pred, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    const uint64_t exponent = single ? 0x7f800000 : uint64_t{0x7ff} << 52;
    V* const magnitude =
        w.CreateAnd(v[0], ConstantInt::get(own, ~sign & (single ? UINT32_MAX : UINT64_MAX)));
    V* const limit = ConstantInt::get(own, exponent);
    V* const least = ConstantInt::get(own, single ? 0x00800000 : uint64_t{1} << 52);
    if (i.has(dot::finite)) return w.CreateICmpULT(magnitude, limit);
    if (i.has(dot::infinite)) return w.CreateICmpEQ(magnitude, limit);
    if (i.has(dot::number)) return w.CreateICmpULE(magnitude, limit);
    if (i.has(dot::notanumber)) return w.CreateICmpUGT(magnitude, limit);
    if (i.has(dot::normal))  // 0 is one
      return w.CreateOr(
          w.CreateICmpEQ(magnitude, llvm::Constant::getNullValue(own)),
          w.CreateAnd(w.CreateICmpUGE(magnitude, least), w.CreateICmpULT(magnitude, limit)));
    return w.CreateAnd(w.CreateICmpNE(magnitude, llvm::Constant::getNullValue(own)),
                       w.CreateICmpULT(magnitude, least));
  });
}

}  // namespace cuvette::ptx
