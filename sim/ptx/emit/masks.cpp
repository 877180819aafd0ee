// SPDX-License-Identifier: Apache-2.0
// Masks: which lanes take part, as vectors of bits and as numbers of 32.
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

llvm::Value* WarpBuilder::bits_of(V* mask) {
  V* const known = known_bits_of(mask);
  return known ? known : CreateBitCast(mask, getInt32Ty());
}

// The bits that a mask was made from, or the bits of the masks that it is made from.
llvm::Value* WarpBuilder::known_bits_of(V* mask) {
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
    return b ? CreateSelect(choice->getCondition(), a, b) : nullptr;
  }
  auto* const made = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  if (!made || !made->isBitwiseLogicOp()) return nullptr;
  V* const a = known_bits_of(made->getOperand(0));
  V* const b = a ? known_bits_of(made->getOperand(1)) : nullptr;
  return b ? CreateBinOp(made->getOpcode(), a, b) : nullptr;
}

llvm::Value* WarpBuilder::mask_of(V* bits) {
  V* mask;
  if (input_.request.vectors == Vectors::avx512) {
    mask = CreateBitCast(bits, vector_type(getInt1Ty()));
  } else {
    std::vector<llvm::Constant*> each;
    for (uint32_t lane = 0; lane < warp_size; ++lane) each.push_back(getInt32(uint32_t{1} << lane));
    V* const chosen = CreateAnd(splat(bits), llvm::ConstantVector::get(each));
    mask = CreateICmpNE(chosen, llvm::Constant::getNullValue(chosen->getType()));
  }
  if (!llvm::isa<llvm::Constant>(mask)) bits_of_masks_[mask] = bits;
  return mask;
}

llvm::Value* WarpBuilder::base_mask() { return base_bits_ ? mask_of(base_bits_) : nullptr; }
llvm::Value* WarpBuilder::any(V* mask) { return CreateICmpNE(bits_of(mask), i32(0)); }

llvm::Value* WarpBuilder::active_mask() {
  return at.mask ? at.mask : llvm::Constant::getAllOnesValue(vector_type(getInt1Ty()));
}

// A stop loses what was computed before it.
void WarpBuilder::reload_mask() {
  if (at.straight) {
    at.mask = nullptr;
    return;
  }
  at.mask = shapes().region[at.block] < 0 ? base_mask() : kept_mask(block_mask_);
}

}  // namespace cuvette::ptx
