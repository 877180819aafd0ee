// SPDX-License-Identifier: Apache-2.0
// The variables of a kernel: registers, and the masks of lanes that wait at blocks.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::make_variables() {
  llvm::Type* const word = builder_.getInt32Ty();
  const auto registers = static_cast<uint32_t>(body_.registers.size());
  for (uint32_t r = 0; r < registers; ++r) {
    Slot& slot = slots_.emplace_back();
    llvm::Type* const type = element_of_register(r);
    const Shape& shape = shapes_.registers[r];
    if (shape.is_varying()) {
      slot.vector =
          variables_.make(type->isIntegerTy(1) && decides(r) ? word : vector_type(type), r);
      continue;
    }
    for (int half = 0; half < (shape.linear ? 1 : 2); ++half) {
      slot.scalar[half] = variables_.make(type, r);
      if (!shape.stepped) continue;
      slot.step[half] = variables_.make(type, r);
      slot.step_lane[half] = variables_.make(word, r);
    }
  }
  masks_.resize(flow_.blocks.size(), Variables::none);
  for (BlockId b = 0; b < flow_.blocks.size(); ++b)
    if (shapes_.region[b] >= 0) masks_[b] = variables_.make(word, registers + b);
  block_mask_ = variables_.make(word);
  carry_ = variables_.make(vector_type(builder_.getInt1Ty()));
  turns_ = variables_.make(word);
}

}  // namespace cuvette::ptx
