// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits as numbers of 32 and back, for what computes with them in between.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;
using llvm::ConstantInt;

// `bits`: 16 of them, one number or one for each lane; `type`: f16 or bf16.
llvm::Value* Emitter::float_of_half(V* bits, Type type) {
  llvm::Type* const own = bits->getType();
  const auto like = [&](llvm::Type* scalar) -> llvm::Type* {
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(own);
    return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
  };
  llvm::Type* const word = like(builder_.getInt32Ty());
  llvm::Type* const single = like(builder_.getFloatTy());
  const auto number = [&](uint32_t value) { return ConstantInt::get(word, value); };
  if (type == Type::bf16)
    return builder_.CreateBitCast(builder_.CreateShl(builder_.CreateZExt(bits, word), number(16)),
                                  single);
  if (input_.request.vectors != Vectors::sse)
    return builder_.CreateFPExt(builder_.CreateBitCast(bits, like(builder_.getHalfTy())), single);
  // The exponent moved to its place counts from elsewhere: a product puts that right, for
  // subnormal numbers too.
  V* const wide = builder_.CreateZExt(bits, word);
  V* const size = builder_.CreateAnd(wide, number(0x7fff));
  V* const sign = builder_.CreateShl(builder_.CreateAnd(wide, number(0x8000)), number(16));
  V* const moved = builder_.CreateBitCast(builder_.CreateShl(size, number(13)), single);
  V* const scaled =
      builder_.CreateBitCast(builder_.CreateFMul(moved, ConstantFP::get(single, 0x1p112)), word);
  V* const special = builder_.CreateSelect(builder_.CreateICmpUGE(size, number(0x7c00)),
                                           number(0x7f800000), number(0));
  return builder_.CreateBitCast(builder_.CreateOr(builder_.CreateOr(scaled, special), sign),
                                single);
}

// The nearest number of 16 bits, the even one of two; no number is 0x7fff.
llvm::Value* Emitter::half_of_float(V* number_of_32, Type type) {
  llvm::Type* const own = number_of_32->getType();
  const auto like = [&](llvm::Type* scalar) -> llvm::Type* {
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(own);
    return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
  };
  llvm::Type* const word = like(builder_.getInt32Ty());
  llvm::Type* const small = like(builder_.getInt16Ty());
  const auto number = [&](uint32_t value) { return ConstantInt::get(word, value); };
  V* const none = builder_.CreateFCmpUNO(number_of_32, number_of_32);
  V* const bits = builder_.CreateBitCast(number_of_32, word);
  const auto odd = [&](V* value, unsigned shift) {
    return builder_.CreateAnd(builder_.CreateLShr(value, number(shift)), number(1));
  };
  V* result;
  if (type == Type::bf16) {
    V* const rounded = builder_.CreateAdd(bits, builder_.CreateAdd(odd(bits, 16), number(0x7fff)));
    result = builder_.CreateTrunc(builder_.CreateLShr(rounded, number(16)), small);
  } else if (input_.request.vectors != Vectors::sse) {
    result = builder_.CreateBitCast(
        builder_.CreateFPTrunc(number_of_32, like(builder_.getHalfTy())), small);
  } else {
    V* const size = builder_.CreateAnd(bits, number(0x7fffffff));
    V* const sign = builder_.CreateAnd(builder_.CreateLShr(bits, number(16)), number(0x8000));
    // From 112 exponents higher, rounded where 13 bits fall away.
    V* const normal = builder_.CreateLShr(
        builder_.CreateAdd(size, builder_.CreateAdd(odd(size, 13), number(0xc8000fff))),
        number(13));
    // The processor rounds what is below the normal numbers, beside a number whose last bit is
    // that of the smallest subnormal one.
    V* const beside =
        builder_.CreateFAdd(builder_.CreateBitCast(size, own), ConstantFP::get(own, 0.5));
    V* const subnormal =
        builder_.CreateSub(builder_.CreateBitCast(beside, word), number(0x3f000000));
    V* chosen =
        builder_.CreateSelect(builder_.CreateICmpULT(size, number(0x38800000)), subnormal, normal);
    chosen = builder_.CreateSelect(builder_.CreateICmpUGE(size, number(0x477ff000)), number(0x7c00),
                                   chosen);
    result = builder_.CreateTrunc(builder_.CreateOr(chosen, sign), small);
  }
  return builder_.CreateSelect(none, ConstantInt::get(small, 0x7fff), result);
}

}  // namespace cuvette::ptx
