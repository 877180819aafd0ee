// SPDX-License-Identifier: Apache-2.0
// Whole numbers: sums and products that keep lines lines, and division.
#include "sim/ptx/emit/integers.hpp"

#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;
using llvm::Intrinsic::ID;

namespace {

// The type of twice the width.
Type wider(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    default:
      return Type::s64;
  }
}

bool is_packed16(Type type) { return type == Type::u16x2 || type == Type::s16x2; }

}  // namespace

// A line plus or minus a line is one; what step there is comes from either.
void emit_add_sub(WarpBuilder& w, const Instruction& i) {
  const bool add = i.opcode == Opcode::add;
  const Type type = i.type();
  if (is_packed16(type)) {
    return w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) {
      const bool vector = v[0]->getType()->isVectorTy();
      llvm::Type* const halves = w.vector_type(w.getInt16Ty(), vector ? 64 : 2);
      V* const a = w.CreateBitCast(v[0], halves);
      V* const b = w.CreateBitCast(v[1], halves);
      return w.CreateBitCast(add ? w.CreateAdd(a, b) : w.CreateSub(a, b), v[0]->getType());
    });
  }
  if (i.has(dot::sat)) {
    return w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) {
      return w.intrinsic(add ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::ssub_sat, {v[0], v[1]});
    });
  }
  const Shape shape = w.shape_of_result(i);
  const Value a = w.read(i.operands[1], type), b = w.read(i.operands[2], type);
  if (shape.is_varying() || a.shape.is_varying() || b.shape.is_varying()) {
    V* const x = w.vector_of(a);
    V* const y = w.vector_of(b);
    return w.write(i.operands[0], varying(add ? w.CreateAdd(x, y) : w.CreateSub(x, y)), type);
  }
  Value result;
  result.shape = {Shape::Kind::affine, a.shape.linear && b.shape.linear,
                  a.shape.stepped || b.shape.stepped,
                  add ? a.shape.stride + b.shape.stride : a.shape.stride - b.shape.stride};
  const Value x =
      w.conform(a, {Shape::Kind::affine, result.shape.linear, a.shape.stepped, a.shape.stride});
  const Value y =
      w.conform(b, {Shape::Kind::affine, result.shape.linear, b.shape.stepped, b.shape.stride});
  for (int half = 0; half < result.scalars(); ++half) {
    result.scalar[half] = add ? w.CreateAdd(x.scalar[half], y.scalar[half])
                              : w.CreateSub(x.scalar[half], y.scalar[half]);
    if (x.step[half]) {
      result.step[half] = x.step[half];
      result.step_lane[half] = x.step_lane[half];
    } else if (y.step[half]) {
      result.step[half] = add ? y.step[half] : w.CreateNeg(y.step[half]);
      result.step_lane[half] = y.step_lane[half];
    }
  }
  w.write(i.operands[0], result, type);
}

// The carry lives for the instructions of one chain: an i1 for each lane.
void emit_carry(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool takes =
      i.opcode == Opcode::addc || i.opcode == Opcode::subc || i.opcode == Opcode::madc;
  const bool subtracts = i.opcode == Opcode::sub || i.opcode == Opcode::subc;
  llvm::VectorType* const vector = w.vector_type(w.element(type));
  V* a = w.read_vector(i.operands[1], type);
  V* b = w.read_vector(i.operands[2], type);
  if (i.opcode == Opcode::mad || i.opcode == Opcode::madc) {
    V* const c = w.read_vector(i.operands[3], type);
    if (i.has(dot::hi)) {
      llvm::VectorType* const wide = w.vector_type(w.getIntNTy(16 * size_of(type)));
      const auto extend = [&](V* x) {
        return is_signed(type) ? w.CreateSExt(x, wide) : w.CreateZExt(x, wide);
      };
      V* const product = w.CreateMul(extend(a), extend(b));
      a = w.CreateTrunc(w.CreateLShr(product, ConstantInt::get(wide, 8 * size_of(type))), vector);
    } else {
      a = w.CreateMul(a, b);
    }
    b = c;
  }
  // The hardware subtracts by adding: its flag says after a subtraction that nothing was borrowed.
  V* carry_in = llvm::Constant::getNullValue(vector);
  if (takes) {
    V* const flag = w.get(w.carry());
    carry_in = w.CreateZExt(subtracts ? w.CreateNot(flag) : flag, vector);
  }
  V* const one = subtracts ? w.CreateSub(a, b) : w.CreateAdd(a, b);
  V* const two = subtracts ? w.CreateSub(one, carry_in) : w.CreateAdd(one, carry_in);
  if (i.has(dot::cc)) {
    V* const over = subtracts ? w.CreateOr(w.CreateICmpULT(a, b), w.CreateICmpULT(one, carry_in))
                              : w.CreateOr(w.CreateICmpULT(one, a), w.CreateICmpULT(two, one));
    w.set(w.carry(), subtracts ? w.CreateNot(over) : over);
  }
  w.write(i.operands[0], varying(two), type);
}

void emit_mul_mad(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool mad = i.opcode == Opcode::mad;
  const bool wide = i.has(dot::wide), high = i.has(dot::hi);
  const Type to = wide ? wider(type) : type;
  llvm::Type* const target = w.element(to);
  const Value a = w.read(i.operands[1], type), b = w.read(i.operands[2], type);
  const auto same_type = [&](llvm::Type* scalar, V* like) -> llvm::Type* {
    return like->getType()->isVectorTy() ? w.vector_type(scalar) : scalar;
  };
  const auto extend = [&](V* x, llvm::Type* scalar) {
    llvm::Type* const t = same_type(scalar, x);
    return is_signed(type) ? w.CreateSExt(x, t) : w.CreateZExt(x, t);
  };
  const auto product_of = [&](V* x, V* y) -> V* {
    if (wide) return w.CreateMul(extend(x, target), extend(y, target));
    if (!high) return w.CreateMul(x, y);
    llvm::Type* const twice = w.getIntNTy(16 * size_of(type));
    V* const product = w.CreateMul(extend(x, twice), extend(y, twice));
    return w.CreateTrunc(
        w.CreateLShr(product, ConstantInt::get(product->getType(), 8 * size_of(type))),
        x->getType());
  };

  // A line times a constant.
  Value product;
  int64_t factor = 0;
  const bool by_second = constant_of(w.body(), w.shapes(), i.operands[2], type, factor);
  const bool constant = by_second || constant_of(w.body(), w.shapes(), i.operands[1], type, factor);
  const Value& line = by_second ? a : b;
  const bool lines = a.shape.is_affine() && b.shape.is_affine() && !high &&
                     (constant || (a.shape.has_no_stride() && b.shape.has_no_stride())) &&
                     !w.shape_of_result(i).is_varying();
  if (lines) {
    const bool linear = a.shape.linear && b.shape.linear;
    const Value x = w.conform(a, {Shape::Kind::affine, linear, a.shape.stepped, a.shape.stride});
    const Value y = w.conform(b, {Shape::Kind::affine, linear, b.shape.stepped, b.shape.stride});
    const uint64_t stride =
        constant ? static_cast<uint64_t>(line.shape.stride) * static_cast<uint64_t>(factor) : 0;
    product.shape = {Shape::Kind::affine, linear, false, static_cast<int64_t>(stride)};
    const Value& conformed = by_second ? x : y;
    for (int half = 0; half < product.scalars(); ++half) {
      product.scalar[half] = product_of(x.scalar[half], y.scalar[half]);
      if (conformed.step[half] && constant) {
        product.shape.stepped = true;
        product.step[half] = w.CreateMul(
            conformed.step[half],
            ConstantInt::get(conformed.step[half]->getType(), static_cast<uint64_t>(factor), true));
        product.step_lane[half] = conformed.step_lane[half];
      }
      if (!wide || line.shape.stride == 0) continue;
      // Where the narrow line runs over its end the wide one has a step of 2^32 times the factor.
      const auto [over, lane] = overrun(w, conformed.scalar[half], line.shape.stride,
                                        linear ? warp_size : warp_size / 2, is_signed(type));
      product.shape.stepped = true;
      if (w.at.straight) w.leave_straight(over);
      product.step[half] = w.CreateSelect(
          w.at.straight ? w.getFalse() : over,
          ConstantInt::get(target, static_cast<uint64_t>(line.shape.stride > 0 ? factor : -factor)
                                       << 32),
          ConstantInt::get(target, 0));
      product.step_lane[half] = w.at.straight ? w.i32(0) : lane;
    }
  } else if (a.shape.has_no_stride() && b.shape.has_no_stride()) {
    const bool linear = a.shape.linear && b.shape.linear;
    product.shape = {Shape::Kind::affine, linear, false, 0};
    for (int half = 0; half < product.scalars(); ++half)
      product.scalar[half] =
          product_of(a.scalar[a.shape.linear ? 0 : half], b.scalar[b.shape.linear ? 0 : half]);
  } else {
    product = varying(product_of(w.vector_of(a), w.vector_of(b)));
  }
  if (!mad) return w.write(i.operands[0], product, to);

  const Value c = w.read(i.operands[3], to);
  if (i.has(dot::sat)) {
    V* const sum =
        w.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, w.vector_of(product), w.vector_of(c));
    return w.write(i.operands[0], varying(sum), to);
  }
  if (product.shape.is_varying() || c.shape.is_varying() ||
      (product.shape.stepped && c.shape.stepped))
    return w.write(i.operands[0], varying(w.CreateAdd(w.vector_of(product), w.vector_of(c))), to);
  Value sum;
  sum.shape = {Shape::Kind::affine, product.shape.linear && c.shape.linear,
               product.shape.stepped || c.shape.stepped, product.shape.stride + c.shape.stride};
  const Value x = w.conform(product, {Shape::Kind::affine, sum.shape.linear, product.shape.stepped,
                                      product.shape.stride});
  const Value y =
      w.conform(c, {Shape::Kind::affine, sum.shape.linear, c.shape.stepped, c.shape.stride});
  for (int half = 0; half < sum.scalars(); ++half) {
    sum.scalar[half] = w.CreateAdd(x.scalar[half], y.scalar[half]);
    sum.step[half] = x.step[half] ? x.step[half] : y.step[half];
    sum.step_lane[half] = x.step[half] ? x.step_lane[half] : y.step_lane[half];
  }
  w.write(i.operands[0], sum, to);
}

// Whether base + stride * lane leaves the range of 32 bits within `count` lanes, and at which lane.
// Lanes after that one lie in the next range and no further: the analysis leaves no larger strides
// than steps_once() allows.
std::pair<llvm::Value*, llvm::Value*> overrun(WarpBuilder& w, V* base, int64_t stride,
                                              unsigned count, bool is_signed) {
  llvm::Type* const wide = w.getInt64Ty();
  V* const first = is_signed ? w.CreateSExt(base, wide) : w.CreateZExt(base, wide);
  V* const last = w.CreateAdd(first, w.i64(static_cast<uint64_t>(stride * (count - 1))));
  // The distance to the end of the range, and how many steps fit into it.
  const int64_t top = is_signed ? INT32_MAX : UINT32_MAX, bottom = is_signed ? INT32_MIN : 0;
  const uint64_t width = static_cast<uint64_t>(stride > 0 ? stride : -stride);
  V* const over = stride > 0 ? w.CreateICmpSGT(last, w.i64(static_cast<uint64_t>(top)))
                             : w.CreateICmpSLT(last, w.i64(static_cast<uint64_t>(bottom)));
  V* const room = stride > 0 ? w.CreateSub(w.i64(static_cast<uint64_t>(top)), first)
                             : w.CreateSub(first, w.i64(static_cast<uint64_t>(bottom)));
  V* const lane = w.CreateAdd(w.CreateUDiv(room, w.i64(width)), w.i64(1));
  V* const small =
      w.CreateTrunc(w.CreateSelect(w.CreateICmpULT(lane, w.i64(warp_size)), lane, w.i64(warp_size)),
                    w.getInt32Ty());
  return {over, small};
}

void emit_mul24(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const auto compute = [&](V* a, V* b) {
    const auto low24 = [&](V* x) {
      V* const shifted = w.CreateShl(x, ConstantInt::get(x->getType(), 8));
      return is_signed(type) ? w.CreateAShr(shifted, ConstantInt::get(x->getType(), 8))
                             : w.CreateLShr(shifted, ConstantInt::get(x->getType(), 8));
    };
    if (!i.has(dot::hi)) return w.CreateMul(low24(a), low24(b));
    llvm::Type* const wide = a->getType()->isVectorTy()
                                 ? static_cast<llvm::Type*>(w.vector_type(w.getInt64Ty()))
                                 : w.getInt64Ty();
    const auto extend = [&](V* x) {
      return is_signed(type) ? w.CreateSExt(low24(x), wide) : w.CreateZExt(low24(x), wide);
    };
    // Bits 47 to 16 of the product.
    return w.CreateTrunc(
        w.CreateLShr(w.CreateMul(extend(a), extend(b)), ConstantInt::get(wide, 16)), a->getType());
  };
  if (i.opcode == Opcode::mul24)
    return w.elementwise(i, {type, type}, type,
                         [&](const std::vector<V*>& v) { return compute(v[0], v[1]); });
  w.elementwise(i, {type, type, type}, type, [&](const std::vector<V*>& v) -> V* {
    V* const product = compute(v[0], v[1]);
    if (i.has(dot::sat)) return w.intrinsic(llvm::Intrinsic::sadd_sat, {product, v[2]});
    return w.CreateAdd(product, v[2]);
  });
}

void emit_sad(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  w.elementwise(i, {type, type, type}, type, [&](const std::vector<V*>& v) {
    V* const less = is_signed(type) ? w.CreateICmpSLT(v[0], v[1]) : w.CreateICmpULT(v[0], v[1]);
    V* const distance = w.CreateSelect(less, w.CreateSub(v[1], v[0]), w.CreateSub(v[0], v[1]));
    return w.CreateAdd(v[2], distance);
  });
}

// The hardware gives all ones for a quotient by zero and for its rest. The processor here would
// raise a signal, also for the one quotient that has no room.
void emit_div_rem(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool rest = i.opcode == Opcode::rem, is_signed = cuvette::ptx::is_signed(type);
  w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    V* const zero = llvm::Constant::getNullValue(own);
    V* const by_zero = w.CreateICmpEQ(v[1], zero);
    V* quotient;
    const bool vector = own->isVectorTy();
    if (vector && size_of(type) <= 4) {
      // Exact in double precision, and vectors of these can be divided.
      llvm::Type* const wide = w.vector_type(w.getDoubleTy());
      V* const divisor = w.CreateSelect(by_zero, ConstantInt::get(own, 1), v[1]);
      V* const a = is_signed ? w.CreateSIToFP(v[0], wide) : w.CreateUIToFP(v[0], wide);
      V* const b = is_signed ? w.CreateSIToFP(divisor, wide) : w.CreateUIToFP(divisor, wide);
      V* const q = w.CreateFDiv(a, b);
      llvm::Type* const number = w.vector_type(w.getInt64Ty());
      quotient = w.CreateTrunc(w.CreateFPToSI(q, number), own);
    } else {
      V* unsafe = by_zero;
      if (is_signed) {
        V* const least = ConstantInt::get(own, llvm::APInt::getSignedMinValue(8 * size_of(type)));
        unsafe = w.CreateOr(
            unsafe, w.CreateAnd(w.CreateICmpEQ(v[0], least),
                                w.CreateICmpEQ(v[1], llvm::Constant::getAllOnesValue(own))));
      }
      V* const divisor = w.CreateSelect(unsafe, ConstantInt::get(own, 1), v[1]);
      quotient = is_signed ? w.CreateSDiv(v[0], divisor) : w.CreateUDiv(v[0], divisor);
    }
    quotient = w.CreateSelect(by_zero, llvm::Constant::getAllOnesValue(own), quotient);
    if (!rest) return quotient;
    V* const remainder = w.CreateSub(v[0], w.CreateMul(quotient, v[1]));
    return w.CreateSelect(by_zero, llvm::Constant::getAllOnesValue(own), remainder);
  });
}

void emit_abs_neg(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool negate = i.opcode == Opcode::neg;
  if (is_floating(type)) return emit_float_sign(w, i);
  if (negate) {
    const Value value = w.read(i.operands[1], type);
    if (value.shape.is_varying())
      return w.write(i.operands[0], varying(w.CreateNeg(value.vector)), type);
    Value result = value;
    result.shape.stride = -value.shape.stride;
    for (int half = 0; half < value.scalars(); ++half) {
      result.scalar[half] = w.CreateNeg(value.scalar[half]);
      if (value.step[half]) result.step[half] = w.CreateNeg(value.step[half]);
    }
    return w.write(i.operands[0], result, type);
  }
  w.elementwise(i, {type}, type, [&](const std::vector<V*>& v) {
    return w.intrinsic(llvm::Intrinsic::abs, {v[0], w.getFalse()});
  });
}

void emit_min_max(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool least = i.opcode == Opcode::min;
  const bool is_signed = cuvette::ptx::is_signed(type) || type == Type::s16x2;
  const ID id = least ? (is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                      : (is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
  w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
    V *a = v[0], *b = v[1];
    llvm::Type* const own = a->getType();
    if (is_packed16(type)) {
      llvm::Type* const halves = w.vector_type(w.getInt16Ty(), own->isVectorTy() ? 64 : 2);
      a = w.CreateBitCast(a, halves);
      b = w.CreateBitCast(b, halves);
    }
    V* result = w.intrinsic(id, {a, b});
    if (i.has(dot::relu))
      result = w.intrinsic(llvm::Intrinsic::smax,
                           {result, llvm::Constant::getNullValue(result->getType())});
    return w.CreateBitCast(result, own);
  });
}

}  // namespace cuvette::ptx
