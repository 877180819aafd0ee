// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/emit/mask_casts.hpp"

#include "sim/ptx/emit/opaque.hpp"

namespace cuvette::ptx {
namespace {

bool makes_mask(const llvm::Instruction& instruction) {
  const auto* const cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
  if (!cast || llvm::isa<llvm::Constant>(cast->getOperand(0))) return false;
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(cast->getType());
  return type && type->getElementType()->isIntegerTy(1) && cast->getSrcTy()->isIntegerTy() &&
         type->getNumElements() >= 8;
}

void keep_apart(llvm::BasicBlock& block) {
  const llvm::Value* first = nullptr;
  for (llvm::Instruction& instruction : block) {
    if (!makes_mask(instruction)) continue;
    llvm::Value* const bits = instruction.getOperand(0);
    if (!first) first = bits;
    if (bits == first) continue;
    llvm::IRBuilder<> builder(&instruction);
    instruction.setOperand(0, make_opaque(builder, bits, "=r,0"));
    builder.SetInsertPoint(instruction.getNextNode());
    llvm::Value* const mask = make_opaque(builder, &instruction, "=k,0");
    instruction.replaceUsesWithIf(mask, [&](llvm::Use& use) { return use.getUser() != mask; });
  }
}

}  // namespace

void keep_mask_casts_apart(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function) keep_apart(block);
}

}  // namespace cuvette::ptx
