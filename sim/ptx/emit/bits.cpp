// SPDX-License-Identifier: Apache-2.0
// Whole numbers as bits and as several small numbers: counting, fields, dot products, video.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

void emit_count(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const auto to_word = [&](V* value) {
    llvm::Type* const word = value->getType()->isVectorTy()
                                 ? static_cast<llvm::Type*>(w.vector_type(w.getInt32Ty()))
                                 : w.getInt32Ty();
    return w.CreateZExtOrTrunc(value, word);
  };
  if (i.opcode == Opcode::brev)
    return w.elementwise(i, {type}, type, [&](const std::vector<V*>& v) {
      return w.intrinsic(llvm::Intrinsic::bitreverse, {v[0]});
    });
  if (i.opcode == Opcode::popc)
    return w.elementwise(i, {type}, Type::u32, [&](const std::vector<V*>& v) {
      return to_word(w.intrinsic(llvm::Intrinsic::ctpop, {v[0]}));
    });
  if (i.opcode == Opcode::clz)
    return w.elementwise(i, {type}, Type::u32, [&](const std::vector<V*>& v) {
      return to_word(w.intrinsic(llvm::Intrinsic::ctlz, {v[0], w.getFalse()}));
    });
  if (i.opcode == Opcode::bfind)
    // The place of the highest bit that is not the sign; all ones where there is none.
    return w.elementwise(i, {type}, Type::u32, [&](const std::vector<V*>& v) {
      llvm::Type* const own = v[0]->getType();
      V* x = v[0];
      if (is_signed(type))
        x = w.CreateSelect(w.CreateICmpSLT(x, llvm::Constant::getNullValue(own)), w.CreateNot(x),
                           x);
      V* const zeros = w.intrinsic(llvm::Intrinsic::ctlz, {x, w.getFalse()});
      V* const found = i.has(dot::shiftamt)
                           ? zeros
                           : w.CreateSub(ConstantInt::get(own, 8 * size_of(type) - 1), zeros);
      V* const none = w.CreateICmpEQ(x, llvm::Constant::getNullValue(own));
      return to_word(w.CreateSelect(none, llvm::Constant::getAllOnesValue(own), found));
    });
  // fns: the place of the n-th one from `base` on, upwards or, with a negative n, downwards.
  w.elementwise(
      i, {Type::b32, Type::b32, Type::s32}, Type::b32, [&](const std::vector<V*>& v) -> V* {
        llvm::Type* const own = v[0]->getType();
        const auto constant = [&](uint32_t value) { return ConstantInt::get(own, value); };
        V* const down = w.CreateICmpSLT(v[2], constant(0));
        V* const here = w.CreateICmpEQ(v[2], constant(0));
        V* const outside = w.CreateICmpUGE(v[1], constant(32));
        V* const given = w.CreateAnd(v[1], constant(31));
        V* const base = w.CreateSelect(down, w.CreateSub(constant(31), given), given);
        V* const bits =
            w.CreateSelect(down, w.intrinsic(llvm::Intrinsic::bitreverse, {v[0]}), v[0]);
        V* const from = w.CreateShl(llvm::Constant::getAllOnesValue(own), base);
        V* const only = w.CreateShl(constant(1), base);
        V* const left = w.CreateAnd(bits, w.CreateSelect(here, only, from));
        V* const magnitude = w.intrinsic(llvm::Intrinsic::abs, {v[2], w.getFalse()});
        V* const number = w.CreateSelect(here, constant(1), magnitude);
        // Half by half, each time passing over what the lower half has.
        V* skip = w.CreateSub(number, constant(1));
        V* place = constant(0);
        for (const uint32_t half : {16u, 8u, 4u, 2u, 1u}) {
          V* const part = w.CreateAnd(w.CreateLShr(left, place), constant((1u << half) - 1));
          V* const count = w.intrinsic(llvm::Intrinsic::ctpop, {part});
          V* const beyond = w.CreateICmpUGE(skip, count);
          skip = w.CreateSelect(beyond, w.CreateSub(skip, count), skip);
          place = w.CreateSelect(beyond, w.CreateAdd(place, constant(half)), place);
        }
        V* const none = w.CreateOr(
            outside, w.CreateICmpUGT(number, w.intrinsic(llvm::Intrinsic::ctpop, {left})));
        place = w.CreateSelect(down, w.CreateSub(constant(31), place), place);
        place = w.CreateSelect(none, llvm::Constant::getAllOnesValue(own), place);
        // INT32_MIN has no magnitude.
        return w.CreateSelect(w.CreateICmpEQ(v[2], constant(0x80000000)), constant(0), place);
      });
}

void emit_bit_field(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const uint64_t width = 8 * size_of(type);
  const auto clamp = [&](V* x, uint64_t limit) {
    return w.intrinsic(llvm::Intrinsic::umin, {x, ConstantInt::get(x->getType(), limit)});
  };
  // With 32 bits only the lowest byte of a position or length is used, with 64 bits all of it.
  const auto byte = [&](V* x) {
    return width == 64 ? clamp(x, 128) : w.CreateAnd(x, ConstantInt::get(x->getType(), 255));
  };
  // Shifts by the whole width give 0 here, not what the processor makes of them.
  const auto shl = [&](V* x, V* by) {
    V* const large = w.CreateICmpUGE(by, ConstantInt::get(by->getType(), width));
    V* const safe = w.CreateSelect(large, llvm::Constant::getNullValue(by->getType()), by);
    return w.CreateSelect(large, llvm::Constant::getNullValue(x->getType()), w.CreateShl(x, safe));
  };
  const auto ones = [&](V* count) {  // `count` ones from the bottom
    V* const one = ConstantInt::get(count->getType(), 1);
    return w.CreateSub(shl(one, count), one);
  };
  const auto fit = [&](V* x, V* like) { return w.CreateZExtOrTrunc(x, like->getType()); };
  if (i.opcode == Opcode::bfe)
    return w.elementwise(
        i, {type, Type::u32, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
          V* const at = fit(byte(v[1]), v[0]);
          V* const length = fit(byte(v[2]), v[0]);
          llvm::Type* const own = v[0]->getType();
          V* const last = ConstantInt::get(own, width - 1);
          V* const safe_at = clamp(at, width - 1);
          V* const beyond = w.CreateICmpUGE(at, ConstantInt::get(own, width));
          V* const shifted =
              is_signed(type) ? w.CreateAShr(v[0], safe_at) : w.CreateLShr(v[0], safe_at);
          V* const filled =
              is_signed(type) ? w.CreateAShr(v[0], last) : llvm::Constant::getNullValue(own);
          V* field = w.CreateSelect(beyond, filled, shifted);
          V* const mask = w.CreateSelect(w.CreateICmpUGE(length, ConstantInt::get(own, width)),
                                         llvm::Constant::getAllOnesValue(own), ones(length));
          if (!is_signed(type)) return w.CreateAnd(field, mask);
          // The sign is the field's highest bit, or the number's where the field runs over its end.
          V* const top =
              clamp(w.CreateSub(w.CreateAdd(at, length), ConstantInt::get(own, 1)), width - 1);
          V* const sign = w.CreateAnd(w.CreateLShr(v[0], top), ConstantInt::get(own, 1));
          V* const extended = w.CreateOr(w.CreateAnd(field, mask),
                                         w.CreateAnd(w.CreateNeg(sign), w.CreateNot(mask)));
          return w.CreateSelect(w.CreateICmpEQ(length, llvm::Constant::getNullValue(own)),
                                llvm::Constant::getNullValue(own), extended);
        });
  if (i.opcode == Opcode::bfi)
    return w.elementwise(
        i, {type, type, Type::u32, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
          V* const at = fit(byte(v[2]), v[0]);
          V* const length = fit(byte(v[3]), v[0]);
          llvm::Type* const own = v[0]->getType();
          V* const field = w.CreateSelect(w.CreateICmpUGE(length, ConstantInt::get(own, width)),
                                          llvm::Constant::getAllOnesValue(own), ones(length));
          V* const mask = shl(field, at);
          return w.CreateOr(w.CreateAnd(shl(v[0], at), mask), w.CreateAnd(v[1], w.CreateNot(mask)));
        });
  if (i.opcode == Opcode::bmsk)
    return w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
      V *at = v[0], *length = v[1];
      if (i.has(dot::wrap)) {
        at = w.CreateAnd(at, ConstantInt::get(at->getType(), 31));
        length = w.CreateAnd(length, ConstantInt::get(at->getType(), 31));
      } else {
        at = clamp(at, 32);
        length = clamp(length, 32);
      }
      V* const field = w.CreateSelect(w.CreateICmpUGE(length, ConstantInt::get(at->getType(), 32)),
                                      llvm::Constant::getAllOnesValue(at->getType()), ones(length));
      return shl(field, at);
    });
  // szext: the lowest bits, with or without their sign.
  w.elementwise(i, {type, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    V* const length =
        i.has(dot::wrap) ? w.CreateAnd(v[1], ConstantInt::get(own, 31)) : clamp(v[1], 32);
    V* const none = w.CreateICmpEQ(length, llvm::Constant::getNullValue(own));
    V* const left =
        w.CreateAnd(w.CreateSub(ConstantInt::get(own, 32), length), ConstantInt::get(own, 31));
    V* const up = w.CreateShl(v[0], left);
    V* const down = is_signed(type) ? w.CreateAShr(up, left) : w.CreateLShr(up, left);
    return w.CreateSelect(none, llvm::Constant::getNullValue(own), down);
  });
}

void emit_dot_product(WarpBuilder& w, const Instruction& i) {
  if (i.types.size() < 2) return w.unsupported(i);
  const bool a_signed = is_signed(i.types[0]), b_signed = is_signed(i.types[1]);
  const bool four = i.opcode == Opcode::dp4a;
  w.elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, [&](const std::vector<V*>& v) {
    llvm::Type* const own = v[0]->getType();
    const auto part = [&](V* x, unsigned at, unsigned width, bool with_sign) {
      V* const up = w.CreateShl(x, ConstantInt::get(own, 32 - width - at));
      V* const by = ConstantInt::get(own, 32 - width);
      return with_sign ? w.CreateAShr(up, by) : w.CreateLShr(up, by);
    };
    V* sum = v[2];
    for (unsigned n = 0; n < (four ? 4u : 2u); ++n) {
      const unsigned second = four ? 8 * n : 8 * n + (i.has(dot::hi) ? 16 : 0);
      V* const product = w.CreateMul(part(v[0], four ? 8 * n : 16 * n, four ? 8 : 16, a_signed),
                                     part(v[1], second, 8, b_signed));
      sum = w.CreateAdd(sum, product);
    }
    return sum;
  });
}

}  // namespace cuvette::ptx
