// SPDX-License-Identifier: Apache-2.0
// Masks: which lanes take part, as vectors of bits and as numbers of 32.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

llvm::Value* Emitter::bits_of(V* mask) {
  V* const known = known_bits_of(mask);
  return known ? known : builder_.CreateBitCast(mask, builder_.getInt32Ty());
}

// The bits that a mask was made from, or those of the masks that it is made from.
llvm::Value* Emitter::known_bits_of(V* mask) {
  const auto known = bits_of_masks_.find(mask);
  if (known != bits_of_masks_.end()) return known->second;
  if (auto* const constant = llvm::dyn_cast<llvm::Constant>(mask)) {
    if (constant->isAllOnesValue()) return i32(UINT32_MAX);
    return constant->isNullValue() ? i32(0) : nullptr;
  }
  if (auto* const choice = llvm::dyn_cast<llvm::SelectInst>(mask)) {
    if (choice->getCondition()->getType()->isVectorTy()) return nullptr;
    V* const a = known_bits_of(choice->getTrueValue());
    V* const b = a ? known_bits_of(choice->getFalseValue()) : nullptr;
    return b ? builder_.CreateSelect(choice->getCondition(), a, b) : nullptr;
  }
  auto* const made = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  if (!made || !made->isBitwiseLogicOp()) return nullptr;
  V* const a = known_bits_of(made->getOperand(0));
  V* const b = a ? known_bits_of(made->getOperand(1)) : nullptr;
  return b ? builder_.CreateBinOp(made->getOpcode(), a, b) : nullptr;
}

llvm::Value* Emitter::mask_of(V* bits) {
  V* mask;
  if (input_.request.vectors == Vectors::avx512) {
    mask = builder_.CreateBitCast(bits, vector_type(builder_.getInt1Ty()));
  } else {
    std::vector<llvm::Constant*> each;
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      each.push_back(builder_.getInt32(uint32_t{1} << lane));
    V* const chosen = builder_.CreateAnd(splat(bits), llvm::ConstantVector::get(each));
    mask = builder_.CreateICmpNE(chosen, llvm::Constant::getNullValue(chosen->getType()));
  }
  if (!llvm::isa<llvm::Constant>(mask)) bits_of_masks_[mask] = bits;
  return mask;
}

llvm::Value* Emitter::base_mask() { return base_bits_ ? mask_of(base_bits_) : nullptr; }
llvm::Value* Emitter::any(V* mask) { return builder_.CreateICmpNE(bits_of(mask), i32(0)); }

llvm::Value* Emitter::active_mask() {
  return mask_ ? mask_ : llvm::Constant::getAllOnesValue(vector_type(builder_.getInt1Ty()));
}

}  // namespace cuvette::ptx
