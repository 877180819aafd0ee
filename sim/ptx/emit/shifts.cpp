// SPDX-License-Identifier: Apache-2.0
// Shifts and permutations of bytes.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

void emit_shift(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const uint64_t width = 8 * size_of(type);
  if (i.opcode == Opcode::shf) {
    // Two words side by side, of which one is cut out.
    return w.elementwise(
        i, {Type::b32, Type::b32, Type::b32}, Type::b32, [&](const std::vector<V*>& v) -> V* {
          llvm::Type* const own = v[0]->getType();
          V* by = v[2];
          const bool left = i.has(dot::l);
          if (i.has(dot::clamp))
            by = w.intrinsic(llvm::Intrinsic::umin, {by, ConstantInt::get(own, 32)});
          else
            by = w.CreateAnd(by, ConstantInt::get(own, 31));
          V* const result = left ? w.intrinsic3(llvm::Intrinsic::fshl, v[1], v[0], by)
                                 : w.intrinsic3(llvm::Intrinsic::fshr, v[1], v[0], by);
          if (!i.has(dot::clamp)) return result;
          // A shift by 32 is one by 0 to the intrinsic.
          V* const whole = w.CreateICmpEQ(by, ConstantInt::get(own, 32));
          return w.CreateSelect(whole, left ? v[0] : v[1], result);
        });
  }
  const bool left = i.opcode == Opcode::shl;
  const bool arithmetic = !left && is_signed(type);
  int64_t constant = 0;
  if (constant_of(w.body(), w.shapes(), i.operands[2], constant) && constant >= 0 &&
      static_cast<uint64_t>(constant) < width) {
    // A line stays one under a shift to the left; the number of a warp comes of one to the right.
    const Value value = w.read(i.operands[1], type);
    if (value.shape.is_affine() && value.shape.stride != 0 && !w.shape_of_result(i).is_varying()) {
      Value result = value;
      for (int half = 0; half < value.scalars(); ++half) {
        V* const by =
            ConstantInt::get(value.scalar[half]->getType(), static_cast<uint64_t>(constant));
        if (left) {
          result.scalar[half] = w.CreateShl(value.scalar[half], by);
          if (value.step[half]) result.step[half] = w.CreateShl(value.step[half], by);
        } else {
          result.scalar[half] = arithmetic ? w.CreateAShr(value.scalar[half], by)
                                           : w.CreateLShr(value.scalar[half], by);
        }
      }
      result.shape.stride =
          left ? static_cast<int64_t>(static_cast<uint64_t>(value.shape.stride) << constant) : 0;
      return w.write(i.operands[0], result, type);
    }
  }
  w.elementwise(i, {type, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    V* const large = w.CreateICmpUGE(v[1], ConstantInt::get(v[1]->getType(), width));
    V* const inside =
        w.CreateSelect(large, ConstantInt::get(v[1]->getType(), arithmetic ? width - 1 : 0), v[1]);
    V* const by = w.CreateZExtOrTrunc(inside, own);
    if (arithmetic) return w.CreateAShr(v[0], by);
    V* const shifted = left ? w.CreateShl(v[0], by) : w.CreateLShr(v[0], by);
    return w.CreateSelect(large, llvm::Constant::getNullValue(own), shifted);
  });
}

// Picks four of the eight bytes of two words; the sign of a byte may be spread over it.
void emit_permute(WarpBuilder& w, const Instruction& i) {
  static constexpr Modifier modes[] = {dot::f4e, dot::b4e, dot::rc8, dot::ecl, dot::ecr, dot::rc16};
  int mode = -1;
  for (int m = 0; m < 6; ++m)
    if (i.has(modes[m])) mode = m;
  w.elementwise(
      i, {Type::b32, Type::b32, Type::b32}, Type::b32, [&](const std::vector<V*>& v) -> V* {
        llvm::Type* const own = v[0]->getType();
        llvm::Type* const twice = own->isVectorTy()
                                      ? static_cast<llvm::Type*>(w.vector_type(w.getInt64Ty()))
                                      : w.getInt64Ty();
        V* const both =
            w.CreateOr(w.CreateZExt(v[0], twice),
                       w.CreateShl(w.CreateZExt(v[1], twice), ConstantInt::get(twice, 32)));
        V* result = llvm::Constant::getNullValue(own);
        V* const c = w.CreateAnd(v[2], ConstantInt::get(own, mode < 0 ? 0xffff : 3));
        for (unsigned n = 0; n < 4; ++n) {
          V* selector;
          const auto constant = [&](uint64_t value) { return ConstantInt::get(own, value); };
          switch (mode) {
            case -1:
              selector = w.CreateAnd(w.CreateLShr(c, constant(4 * n)), constant(15));
              break;
            case 0:
              selector = w.CreateAdd(c, constant(n));
              break;
            case 1:
              selector = w.CreateAnd(w.CreateSub(c, constant(n)), constant(7));
              break;
            case 2:
              selector = c;
              break;
            case 3:
              selector = w.CreateBinaryIntrinsic(llvm::Intrinsic::umax, c, constant(n));
              break;
            case 4:
              selector = w.CreateBinaryIntrinsic(llvm::Intrinsic::umin, c, constant(n));
              break;
            default:
              selector = w.CreateAdd(w.CreateShl(w.CreateAnd(c, constant(1)), constant(1)),
                                     constant(n & 1));
          }
          V* const place = w.CreateShl(w.CreateZExt(w.CreateAnd(selector, constant(7)), twice),
                                       ConstantInt::get(twice, 3));
          V* byte = w.CreateAnd(w.CreateTrunc(w.CreateLShr(both, place), own), constant(255));
          if (mode < 0) {
            V* const sign = w.CreateICmpNE(w.CreateAnd(selector, constant(8)), constant(0));
            V* const top = w.CreateICmpNE(w.CreateAnd(byte, constant(128)), constant(0));
            V* const spread = w.CreateSelect(top, constant(255), constant(0));
            byte = w.CreateSelect(sign, spread, byte);
          }
          result = w.CreateOr(result, w.CreateShl(byte, constant(8 * n)));
        }
        return result;
      });
}

}  // namespace cuvette::ptx
