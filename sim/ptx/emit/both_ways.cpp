// SPDX-License-Identifier: Apache-2.0
// Blocks that are emitted twice: straight, and with care (straight.cpp).
#include "sim/ptx/emit/memory.hpp"
#include "sim/ptx/emit/region_walker.hpp"

namespace cuvette::ptx {

bool RegionWalker::goes_straight(BlockId block) {
  const Block& here = w_.flow().blocks[block];
  if (!w_.may_go_straight(block)) return false;
  bool worth = memory_.has_indexed();
  for (uint32_t n = here.first; n < here.end; ++n) {
    const Instruction& i = w_.body().instructions[n];
    if (i.is(Trait::long_code) || w_.is_retry(n)) return false;
    // Tracks are left best there.
    worth |= w_.input().request.tracks && i.is(Trait::accesses) && !i.has(dot::shared) &&
             !i.has(dot::param) && !i.has(dot::local);
    const bool store = i.opcode == Opcode::st;
    if ((!store && i.opcode != Opcode::ld) || i.operands.size() != 2) continue;
    const Operand& place = i.operands[store ? 0 : 1];
    const Space space = space_of(i, place);
    if (space == Space::param || space == Space::local || !place.has_base || place.base_is_symbol)
      continue;
    const Shape& shape = w_.shapes().registers[place.index];
    if (w_.at.mask) {
      worth |= !shape.has_no_stride();
    } else {
      worth |= is_strided(w_, i, shape);
    }
  }
  return worth;
}

void RegionWalker::emit_both_ways(uint32_t first, uint32_t end) {
  w_.forget_careful();
  llvm::BasicBlock* const straight = w_.new_block("straight");
  llvm::BasicBlock* const behind = w_.new_block("behind");
  if (w_.at.mask) {
    llvm::BasicBlock* const careful = w_.entry_of_careful(first);
    V* const all = w_.CreateICmpEQ(w_.bits_of(w_.at.mask), w_.i32(UINT32_MAX));
    w_.CreateCondBr(all, straight, careful);
  } else {
    w_.CreateBr(straight);
  }
  w_.SetInsertPoint(straight);
  w_.at.straight = true;
  w_.at.mask = nullptr;
  for (w_.at.instruction = first; w_.at.instruction < end && !w_.failed(); ++w_.at.instruction)
    if (!memory_.puts_off(w_.at.instruction)) emit_and_tidy();
  w_.at.straight = false;
  w_.CreateBr(behind);

  // Emits nothing before the first instruction that has an entry into the careful version.
  bool reached = false;
  for (w_.at.instruction = first; w_.at.instruction < end && !w_.failed(); ++w_.at.instruction) {
    if (llvm::BasicBlock* const entry = w_.known_entry_of_careful(w_.at.instruction)) {
      if (reached) w_.CreateBr(entry);
      w_.SetInsertPoint(entry);
      w_.reload_mask();
      if (w_.at.mask) w_.at.mask = w_.mask_of(w_.opaque(w_.bits_of(w_.at.mask)));
      reached = true;
    }
    if (reached) emit_and_tidy();
  }
  if (reached) w_.CreateBr(behind);
  w_.SetInsertPoint(behind);
  w_.reload_mask();
}

}  // namespace cuvette::ptx
