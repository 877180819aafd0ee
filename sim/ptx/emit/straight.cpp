// SPDX-License-Identifier: Apache-2.0
// The straight way through a block: what is made of it where all lanes take part and every access
// lies where most do. It has no masks, and nothing in it meets again behind a test; the first test
// that fails leads into the careful version, to the instruction that it belongs to, which starts
// anew there. What an instruction has done before it asks must not matter, therefore: loads, stores
// and atomic operations ask before they do anything.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {
namespace {

// Two versions cost twice the time to compile.
constexpr size_t longest_block = 256, longest_body = 2048;

bool is_long(const Instruction& i) {
  return i.opcode == Opcode::mma || i.opcode == Opcode::wmma || i.opcode == Opcode::tex ||
         i.opcode == Opcode::tld4 || i.opcode == Opcode::suld || i.opcode == Opcode::sust ||
         i.opcode == Opcode::sured || i.opcode == Opcode::call || i.opcode == Opcode::cp ||
         i.opcode == Opcode::ldmatrix || i.opcode == Opcode::stmatrix;
}

}  // namespace

bool Emitter::may_go_straight(BlockId block) const {
  const Block& here = flow_.blocks[block];
  return !input_.quickly && here.end - here.first <= longest_block &&
         body_.instructions.size() <= longest_body;
}

bool Emitter::goes_straight(BlockId block) const {
  const Block& here = flow_.blocks[block];
  if (!may_go_straight(block)) return false;
  bool worth = !indexed_.empty();
  for (uint32_t n = here.first; n < here.end; ++n) {
    const Instruction& i = body_.instructions[n];
    if (is_long(i)) return false;
    const bool store = i.opcode == Opcode::st;
    if ((!store && i.opcode != Opcode::ld) || i.operands.size() != 2) continue;
    const Operand& place = i.operands[store ? 0 : 1];
    const Space space = space_of(i, place);
    if (space == Space::param || space == Space::local || !place.has_base || place.base_is_symbol)
      continue;
    const Shape& shape = shapes_.registers[place.index];
    if (mask_) {
      worth |= !shape.has_no_stride();
    } else {
      worth |= is_strided(i, shape);
    }
  }
  return worth;
}

void Emitter::emit_both_ways(uint32_t first, uint32_t end) {
  careful_.clear();
  llvm::BasicBlock* const straight = new_block("straight");
  llvm::BasicBlock* const behind = new_block("behind");
  if (mask_) {
    llvm::BasicBlock* const careful = entry_of_careful(first);
    V* const all = builder_.CreateICmpEQ(bits_of(mask_), i32(UINT32_MAX));
    builder_.CreateCondBr(all, straight, careful);
  } else {
    builder_.CreateBr(straight);
  }
  builder_.SetInsertPoint(straight);
  straight_ = true;
  mask_ = nullptr;
  for (instruction_ = first; instruction_ < end && !failed_; ++instruction_)
    if (!put_off_.contains(instruction_)) emit_and_tidy();
  straight_ = false;
  builder_.CreateBr(behind);

  // Before the first instruction that something leads to there is nothing to do.
  bool reached = false;
  for (instruction_ = first; instruction_ < end && !failed_; ++instruction_) {
    const auto entry = careful_.find(instruction_);
    if (entry != careful_.end()) {
      if (reached) builder_.CreateBr(entry->second);
      builder_.SetInsertPoint(entry->second);
      reload_mask();
      if (mask_) mask_ = mask_of(opaque(bits_of(mask_)));
      reached = true;
    }
    if (reached) emit_and_tidy();
  }
  if (reached) builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
  reload_mask();
}

llvm::BasicBlock* Emitter::entry_of_careful(uint32_t instruction) {
  llvm::BasicBlock*& entry = careful_[instruction];
  if (!entry) entry = new_block("careful");
  return entry;
}

bool Emitter::may_leave() const {
  return straight_ && body_.instructions[instruction_].is(Trait::accesses);
}

void Emitter::leave_straight(V* bad) {
  llvm::BasicBlock* const leave = new_block("leave");
  llvm::BasicBlock* const on = new_block("on");
  unlikely(builder_.CreateCondBr(bad, leave, on));
  builder_.SetInsertPoint(leave);
  // What the straight way has not computed because it needs it nowhere.
  V* const mask = mask_;
  const bool predicated = predicated_;
  const uint32_t here = instruction_;
  mask_ = nullptr;
  straight_ = predicated_ = false;
  for (const uint32_t n : put_off_) {
    if (n >= here) break;
    instruction_ = n;
    emit_plain(body_.instructions[n]);
  }
  instruction_ = here;
  mask_ = mask;
  straight_ = true;
  predicated_ = predicated;
  builder_.CreateBr(entry_of_careful(here));
  builder_.SetInsertPoint(on);
}

}  // namespace cuvette::ptx
