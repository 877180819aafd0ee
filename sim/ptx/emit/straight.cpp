// SPDX-License-Identifier: Apache-2.0
// The straight way through a block: what is made of it where all lanes take part and every access
// lies where most do. It has no masks, and nothing in it meets again after a test; the first test
// that fails leads into the careful version, to the instruction that it belongs to, which starts
// anew there. So the effects of an instruction before its test must not matter: loads, stores
// and atomic operations ask before they do anything.
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {
namespace {

// Two versions cost twice the time to compile.
constexpr size_t longest_block = 256, longest_body = 2048;

}  // namespace

bool WarpBuilder::may_go_straight(BlockId block) const {
  const Block& here = flow().blocks[block];
  return !input_.quickly && !input_.request.watch && !input_.request.counts &&
         here.end - here.first <= longest_block && body().instructions.size() <= longest_body;
}

llvm::BasicBlock* WarpBuilder::entry_of_careful(uint32_t instruction) {
  llvm::BasicBlock*& entry = careful_[instruction];
  if (!entry) entry = new_block("careful");
  return entry;
}

llvm::BasicBlock* WarpBuilder::known_entry_of_careful(uint32_t instruction) const {
  const auto known = careful_.find(instruction);
  return known == careful_.end() ? nullptr : known->second;
}

bool WarpBuilder::may_leave() const { return at.straight && instruction().is(Trait::accesses); }

void WarpBuilder::leave_straight(V* bad) {
  llvm::BasicBlock* const leave = new_block("leave");
  llvm::BasicBlock* const on = new_block("on");
  unlikely(CreateCondBr(bad, leave, on));
  SetInsertPoint(leave);
  const Position here = at;
  at.mask = nullptr;
  at.straight = at.predicated = false;
  compute_put_off();
  at = here;
  CreateBr(entry_of_careful(here.instruction));
  SetInsertPoint(on);
}

}  // namespace cuvette::ptx
