// SPDX-License-Identifier: Apache-2.0
// Stops on the way: the values that a warp needs when it continues are in its frame.
#include <algorithm>

#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

BitSet WarpBuilder::live_behind() {
  const auto [block, instruction] = std::pair(at.block, at.instruction);
  constexpr uint32_t short_way = 64;
  const Block& here = flow().blocks[block];
  std::vector<uint32_t> registers;
  const auto go_before = [&](BitSet& live, uint32_t i) {
    registers.clear();
    Flow::written(body().instructions[i], registers);
    for (const uint32_t r : registers) live.erase(r);
    registers.clear();
    Flow::read(body().instructions[i], registers);
    for (const uint32_t r : registers) live.insert(r);
  };
  if (live_behind_block_ != block) {
    live_behind_block_ = block;
    live_behind_.clear();
    BitSet live = here.live_out;
    for (uint32_t i = here.end; i-- > here.first;) {
      if ((here.end - 1 - i) % short_way == 0) live_behind_.emplace(i, live);
      go_before(live, i);
    }
  }
  const auto [from, known] = *live_behind_.lower_bound(instruction);
  BitSet live = known;
  for (uint32_t i = from; i > instruction; --i) go_before(live, i);
  return live;
}

void WarpBuilder::suspend(Status status, const BitSet& live) {
  BitSet kept = needs_.waiting(at.block);
  kept.insert_all(live);
  // Lanes that sleep or poll in vain let the other lanes of their region go on next: their turns
  // are over.
  const bool met = status == Status::barrier || status == Status::barrier_in_wait;
  const bool apart = shapes().region[at.block] >= 0;
  leave_and_return(status, kept, apart && !met ? has_slept : 0);
  reload_mask();
}

// A branch outside of the region may be what leads here.
void WarpBuilder::suspend_region(Status status, int32_t region) {
  BitSet kept;
  for (const BlockId place : shapes().waiting_places(region)) kept.insert_all(needs_.needed(place));
  const BlockId exit = shapes().region_exit[static_cast<size_t>(region)];
  if (exit != exit_block) kept.insert_all(flow().blocks[exit].live_in);
  leave_and_return(status, kept, 0);
}

void WarpBuilder::leave_and_return(Status status, const BitSet& kept, uint32_t turns) {
  // Largest first, so that all are aligned.
  std::vector<std::pair<llvm::Type*, Variables::Id>> slots;
  const auto keep = [&](Variables::Id one) {
    // Variables that lie in memory lie in the frame already.
    if (one != Variables::none && !input_.quickly) slots.emplace_back(variables_.type_of(one), one);
  };
  const auto registers = static_cast<uint32_t>(body().registers.size());
  kept.each([&](uint32_t r) {
    if (r >= registers) return keep(masks_[r - registers]);
    const Slot& slot = slots_[r];
    for (const Variables::Id one : {slot.vector, slot.scalar[0], slot.scalar[1], slot.step[0],
                                    slot.step[1], slot.step_lane[0], slot.step_lane[1]})
      keep(one);
  });
  if (shapes().region[at.block] >= 0) keep(block_mask_);
  if (stops_ != Variables::none && (status == Status::yielded || status == Status::asleep))
    set(stops_, CreateAdd(get(stops_), i32(1)));
  keep(stops_);
  keep(away_);
  keep(passed_);
  keep(reduced_);
  // Masks go as numbers of 32 bits.
  const auto memory_type = [&](llvm::Type* type) -> llvm::Type* {
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector && vector->getElementType()->isIntegerTy(1)) return getInt32Ty();
    return type->isIntegerTy(1) ? getInt8Ty() : type;
  };
  const auto bytes = [&](llvm::Type* type) {
    return static_cast<uint32_t>(memory_type(type)->getPrimitiveSizeInBits().getFixedValue() / 8);
  };
  std::stable_sort(slots.begin(), slots.end(),
                   [&](const auto& a, const auto& b) { return bytes(a.first) > bytes(b.first); });
  uint32_t at = frame_head;
  const auto place = [&](uint32_t offset) {
    return CreateConstInBoundsGEP1_64(getInt8Ty(), frame_, offset);
  };
  const auto align = [&](llvm::Type* type) {
    return llvm::Align(std::min<uint32_t>(64, std::max<uint32_t>(1, bytes(type))));
  };
  for (const auto& [type, slot] : slots) {
    V* value = get(slot);
    if (memory_type(type) != type)
      value = type->isVectorTy() ? bits_of(value) : CreateZExt(value, memory_type(type));
    CreateAlignedStore(value, place(at), align(type));
    at += bytes(type);
  }
  result_.frame_bytes = std::max(result_.frame_bytes, (at + 63) & ~63u);
  const uint32_t state = ++suspensions_;
  CreateStore(i32(state), frame_);
  CreateRet(i32(static_cast<uint32_t>(status)));

  llvm::BasicBlock* const again = new_block("again" + llvm::Twine(state));
  resume_->addCase(getInt32(state), again);
  SetInsertPoint(again);
  at = frame_head;
  for (const auto& [type, slot] : slots) {
    V* value = CreateAlignedLoad(memory_type(type), place(at), align(type));
    if (memory_type(type) != type)
      value = type->isVectorTy() ? mask_of(value) : CreateTrunc(value, type);
    set(slot, value);
    at += bytes(type);
  }
  set(turns_, i32(turns));
}

// Whether `block` is in a loop that waits for others, which it may need to reach its end.
bool WarpBuilder::waits_in(BlockId block) const {
  return std::ranges::any_of(flow().loops,
                             [&](const Loop& loop) { return loop.waits && loop.contains(block); });
}

}  // namespace cuvette::ptx
