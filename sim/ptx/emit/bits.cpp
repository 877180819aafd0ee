// SPDX-License-Identifier: Apache-2.0
// Whole numbers as bits and as several small numbers: counting, fields, dot products, video.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

void Emitter::emit_count(const Instruction& i) {
  const Type type = i.type();
  const auto to_word = [&](V* value) {
    llvm::Type* const word = value->getType()->isVectorTy()
                                 ? static_cast<llvm::Type*>(vector_type(builder_.getInt32Ty()))
                                 : builder_.getInt32Ty();
    return builder_.CreateZExtOrTrunc(value, word);
  };
  if (i.opcode == Opcode::brev)
    return elementwise(i, {type}, type, [&](const std::vector<V*>& v) {
      return intrinsic(llvm::Intrinsic::bitreverse, {v[0]});
    });
  if (i.opcode == Opcode::popc)
    return elementwise(i, {type}, Type::u32, [&](const std::vector<V*>& v) {
      return to_word(intrinsic(llvm::Intrinsic::ctpop, {v[0]}));
    });
  if (i.opcode == Opcode::clz)
    return elementwise(i, {type}, Type::u32, [&](const std::vector<V*>& v) {
      return to_word(intrinsic(llvm::Intrinsic::ctlz, {v[0], builder_.getFalse()}));
    });
  if (i.opcode == Opcode::bfind)
    // The place of the highest bit that is not the sign; all ones where there is none.
    return elementwise(i, {type}, Type::u32, [&](const std::vector<V*>& v) {
      llvm::Type* const own = v[0]->getType();
      V* x = v[0];
      if (is_signed(type))
        x = builder_.CreateSelect(builder_.CreateICmpSLT(x, llvm::Constant::getNullValue(own)),
                                  builder_.CreateNot(x), x);
      V* const zeros = intrinsic(llvm::Intrinsic::ctlz, {x, builder_.getFalse()});
      V* const found =
          i.has(dot::shiftamt)
              ? zeros
              : builder_.CreateSub(ConstantInt::get(own, 8 * size_of(type) - 1), zeros);
      V* const none = builder_.CreateICmpEQ(x, llvm::Constant::getNullValue(own));
      return to_word(builder_.CreateSelect(none, llvm::Constant::getAllOnesValue(own), found));
    });
  // fns: the place of the n-th one from `base` on, upwards or, with a negative n, downwards.
  elementwise(i, {Type::b32, Type::b32, Type::s32}, Type::b32, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    const auto constant = [&](uint32_t value) { return ConstantInt::get(own, value); };
    V* const down = builder_.CreateICmpSLT(v[2], constant(0));
    V* const here = builder_.CreateICmpEQ(v[2], constant(0));
    V* const outside = builder_.CreateICmpUGE(v[1], constant(32));
    V* const given = builder_.CreateAnd(v[1], constant(31));
    V* const base = builder_.CreateSelect(down, builder_.CreateSub(constant(31), given), given);
    V* const bits =
        builder_.CreateSelect(down, intrinsic(llvm::Intrinsic::bitreverse, {v[0]}), v[0]);
    V* const from = builder_.CreateShl(llvm::Constant::getAllOnesValue(own), base);
    V* const only = builder_.CreateShl(constant(1), base);
    V* const left = builder_.CreateAnd(bits, builder_.CreateSelect(here, only, from));
    V* const magnitude = intrinsic(llvm::Intrinsic::abs, {v[2], builder_.getFalse()});
    V* const number = builder_.CreateSelect(here, constant(1), magnitude);
    // Half by half, each time passing over what the lower half has.
    V* skip = builder_.CreateSub(number, constant(1));
    V* place = constant(0);
    for (const uint32_t half : {16u, 8u, 4u, 2u, 1u}) {
      V* const part =
          builder_.CreateAnd(builder_.CreateLShr(left, place), constant((1u << half) - 1));
      V* const count = intrinsic(llvm::Intrinsic::ctpop, {part});
      V* const beyond = builder_.CreateICmpUGE(skip, count);
      skip = builder_.CreateSelect(beyond, builder_.CreateSub(skip, count), skip);
      place = builder_.CreateSelect(beyond, builder_.CreateAdd(place, constant(half)), place);
    }
    V* const none = builder_.CreateOr(
        outside, builder_.CreateICmpUGT(number, intrinsic(llvm::Intrinsic::ctpop, {left})));
    place = builder_.CreateSelect(down, builder_.CreateSub(constant(31), place), place);
    place = builder_.CreateSelect(none, llvm::Constant::getAllOnesValue(own), place);
    // The one number that has no magnitude.
    return builder_.CreateSelect(builder_.CreateICmpEQ(v[2], constant(0x80000000)), constant(0),
                                 place);
  });
}

void Emitter::emit_bit_field(const Instruction& i) {
  const Type type = i.type();
  const uint64_t width = 8 * size_of(type);
  const auto clamp = [&](V* x, uint64_t limit) {
    return intrinsic(llvm::Intrinsic::umin, {x, ConstantInt::get(x->getType(), limit)});
  };
  // Of words the lowest byte of a place or length counts, of double words all of it.
  const auto byte = [&](V* x) {
    return width == 64 ? clamp(x, 128) : builder_.CreateAnd(x, ConstantInt::get(x->getType(), 255));
  };
  // Shifts by the whole width give 0 here, not what the processor makes of them.
  const auto shl = [&](V* x, V* by) {
    V* const large = builder_.CreateICmpUGE(by, ConstantInt::get(by->getType(), width));
    V* const safe = builder_.CreateSelect(large, llvm::Constant::getNullValue(by->getType()), by);
    return builder_.CreateSelect(large, llvm::Constant::getNullValue(x->getType()),
                                 builder_.CreateShl(x, safe));
  };
  const auto ones = [&](V* count) {  // `count` ones from the bottom
    V* const one = ConstantInt::get(count->getType(), 1);
    return builder_.CreateSub(shl(one, count), one);
  };
  const auto fit = [&](V* x, V* like) { return builder_.CreateZExtOrTrunc(x, like->getType()); };
  if (i.opcode == Opcode::bfe)
    return elementwise(i, {type, Type::u32, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
      V* const at = fit(byte(v[1]), v[0]);
      V* const length = fit(byte(v[2]), v[0]);
      llvm::Type* const own = v[0]->getType();
      V* const last = ConstantInt::get(own, width - 1);
      V* const safe_at = clamp(at, width - 1);
      V* const beyond = builder_.CreateICmpUGE(at, ConstantInt::get(own, width));
      V* const shifted =
          is_signed(type) ? builder_.CreateAShr(v[0], safe_at) : builder_.CreateLShr(v[0], safe_at);
      V* const filled =
          is_signed(type) ? builder_.CreateAShr(v[0], last) : llvm::Constant::getNullValue(own);
      V* field = builder_.CreateSelect(beyond, filled, shifted);
      V* const mask =
          builder_.CreateSelect(builder_.CreateICmpUGE(length, ConstantInt::get(own, width)),
                                llvm::Constant::getAllOnesValue(own), ones(length));
      if (!is_signed(type)) return builder_.CreateAnd(field, mask);
      // The sign is the field's highest bit, or the number's where the field runs over its end.
      V* const top = clamp(
          builder_.CreateSub(builder_.CreateAdd(at, length), ConstantInt::get(own, 1)), width - 1);
      V* const sign = builder_.CreateAnd(builder_.CreateLShr(v[0], top), ConstantInt::get(own, 1));
      V* const extended =
          builder_.CreateOr(builder_.CreateAnd(field, mask),
                            builder_.CreateAnd(builder_.CreateNeg(sign), builder_.CreateNot(mask)));
      return builder_.CreateSelect(builder_.CreateICmpEQ(length, llvm::Constant::getNullValue(own)),
                                   llvm::Constant::getNullValue(own), extended);
    });
  if (i.opcode == Opcode::bfi)
    return elementwise(
        i, {type, type, Type::u32, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
          V* const at = fit(byte(v[2]), v[0]);
          V* const length = fit(byte(v[3]), v[0]);
          llvm::Type* const own = v[0]->getType();
          V* const field =
              builder_.CreateSelect(builder_.CreateICmpUGE(length, ConstantInt::get(own, width)),
                                    llvm::Constant::getAllOnesValue(own), ones(length));
          V* const mask = shl(field, at);
          return builder_.CreateOr(builder_.CreateAnd(shl(v[0], at), mask),
                                   builder_.CreateAnd(v[1], builder_.CreateNot(mask)));
        });
  if (i.opcode == Opcode::bmsk)
    return elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
      V *at = v[0], *length = v[1];
      if (i.has(dot::wrap)) {
        at = builder_.CreateAnd(at, ConstantInt::get(at->getType(), 31));
        length = builder_.CreateAnd(length, ConstantInt::get(at->getType(), 31));
      } else {
        at = clamp(at, 32);
        length = clamp(length, 32);
      }
      V* const field =
          builder_.CreateSelect(builder_.CreateICmpUGE(length, ConstantInt::get(at->getType(), 32)),
                                llvm::Constant::getAllOnesValue(at->getType()), ones(length));
      return shl(field, at);
    });
  // szext: the lowest bits, with or without their sign.
  elementwise(i, {type, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    V* const length =
        i.has(dot::wrap) ? builder_.CreateAnd(v[1], ConstantInt::get(own, 31)) : clamp(v[1], 32);
    V* const none = builder_.CreateICmpEQ(length, llvm::Constant::getNullValue(own));
    V* const left = builder_.CreateAnd(builder_.CreateSub(ConstantInt::get(own, 32), length),
                                       ConstantInt::get(own, 31));
    V* const up = builder_.CreateShl(v[0], left);
    V* const down = is_signed(type) ? builder_.CreateAShr(up, left) : builder_.CreateLShr(up, left);
    return builder_.CreateSelect(none, llvm::Constant::getNullValue(own), down);
  });
}

void Emitter::emit_dot_product(const Instruction& i) {
  if (i.types.size() < 2) return unsupported(i);
  const bool a_signed = is_signed(i.types[0]), b_signed = is_signed(i.types[1]);
  const bool four = i.opcode == Opcode::dp4a;
  elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, [&](const std::vector<V*>& v) {
    llvm::Type* const own = v[0]->getType();
    const auto part = [&](V* x, unsigned at, unsigned width, bool with_sign) {
      V* const up = builder_.CreateShl(x, ConstantInt::get(own, 32 - width - at));
      V* const by = ConstantInt::get(own, 32 - width);
      return with_sign ? builder_.CreateAShr(up, by) : builder_.CreateLShr(up, by);
    };
    V* sum = v[2];
    for (unsigned n = 0; n < (four ? 4u : 2u); ++n) {
      const unsigned second = four ? 8 * n : 8 * n + (i.has(dot::hi) ? 16 : 0);
      V* const product =
          builder_.CreateMul(part(v[0], four ? 8 * n : 16 * n, four ? 8 : 16, a_signed),
                             part(v[1], second, 8, b_signed));
      sum = builder_.CreateAdd(sum, product);
    }
    return sum;
  });
}

}  // namespace cuvette::ptx
