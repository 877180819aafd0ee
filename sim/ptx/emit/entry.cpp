// SPDX-License-Identifier: Apache-2.0
// How a warp's function begins and ends: the loops over the warps of a block and the blocks of a
// row.
#include <optional>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/region_walker.hpp"

namespace cuvette::ptx {

void RegionWalker::emit_entries() {
  for (uint32_t number = 0; number < w_.input().kernels; ++number) {
    llvm::Type* const word = w_.getInt32Ty();
    llvm::Function* const entry = llvm::Function::Create(
        llvm::FunctionType::get(word, {w_.getPtrTy(), word, word}, false),
        llvm::Function::ExternalLinkage, "entry" + llvm::Twine(number), w_.module());
    entry->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(w_.getContext(), "", entry));
    llvm::CallInst* const call = builder.CreateCall(
        w_.function(), {entry->getArg(0), entry->getArg(1), entry->getArg(2), w_.i32(number)});
    call->setTailCall();
    builder.CreateRet(call);
  }
}

// Steps to the next block of the row; code that needs its index finds it in the context.
llvm::Value* RegionWalker::emit_step_to_next_block(V* column) {
  llvm::Type* const word = w_.getInt32Ty();
  const auto keep = [&](size_t offset, V* value) {
    w_.CreateStore(value, w_.CreateConstInBoundsGEP1_64(w_.getInt8Ty(), w_.context(), offset));
    return value;
  };
  V* const processor =
      w_.CreateAdd(w_.context_field(offsetof(BlockContext, smid), word, false), w_.i32(1));
  V* const processors = w_.context_field(offsetof(BlockContext, nsmid), word);
  keep(offsetof(BlockContext, smid),
       w_.CreateSelect(w_.CreateICmpEQ(processor, processors), w_.i32(0), processor));
  return keep(offsetof(BlockContext, ctaid), w_.CreateAdd(column, w_.i32(1)));
}

RegionWalker::RegionWalker(const EmitInput& input, llvm::Module& target, CompiledKernel& result)
    : w_(input, target, result), memory_(w_) {
  w_.compute_put_off = [this] {
    const uint32_t here = w_.at.instruction;
    for (const uint32_t n : memory_.put_off()) {
      if (n >= here) break;
      w_.at.instruction = n;
      emit_plain(memory_, w_.instruction());
    }
  };
}

bool RegionWalker::run() {
  llvm::BasicBlock* const begin = w_.new_block("warp");
  finish_ = w_.new_block("finish");
  for (BlockId b = 0; b < w_.flow().blocks.size(); ++b)
    entries_.push_back(w_.new_block("b" + llvm::Twine(b)));
  for (BlockId b = 0; b < w_.flow().blocks.size(); ++b) w_.variables().forget(entries_[b], b);

  // One warp after the other, and one block of the row after the other. Those with frames are
  // called for one warp, which may have begun already, and what kernels call is called for one.
  const bool one_warp = w_.needs_frames() || !w_.input().function.is_entry;
  std::optional<RowLoop> row;
  if (!one_warp) row = open_row(begin);
  w_.SetInsertPoint(begin);
  if (one_warp) w_.set_warp(w_.function()->getArg(1));
  w_.emit_prologue();
  if (w_.needs_frames()) w_.emit_resumption();
  w_.at.mask = w_.base_mask();
  if (w_.shapes().region[0] >= 0) {
    enter_region(w_.shapes().region[0]);
    push(0, w_.active_mask());
  }
  w_.CreateBr(entries_[0]);
  for (BlockId b = 0; b < w_.flow().blocks.size() && !w_.failed(); ++b) emit_block(b);
  // Blocks of regions are tested before they are entered; these tests name further ones.
  w_.SetInsertPoint(finish_);
  if (row) close_row(*row, begin);
  w_.CreateRet(w_.i32(static_cast<uint32_t>(Status::finished)));
  w_.SetInsertPoint(w_.arrays_block());
  w_.CreateBr(row ? row->block : begin);
  if (w_.failed()) return false;
  if (!w_.finish_variables(begin)) return false;
  if (w_.input().kernels > 1) emit_entries();
  w_.result().uses_barriers |= w_.needs_frames();
  return true;
}

RegionWalker::RowLoop RegionWalker::open_row(llvm::BasicBlock* first_instruction) {
  llvm::Type* const word = w_.getInt32Ty();
  RowLoop row;
  row.block = w_.new_block("block");
  w_.SetInsertPoint(w_.arrays_block());
  V* const first = w_.context_field(offsetof(BlockContext, ctaid), word, false);
  V* const count = w_.context_field(offsetof(BlockContext, row_blocks), word);
  w_.SetInsertPoint(row.block);
  row.column = w_.CreatePHI(word, 2);
  row.column->addIncoming(first, w_.arrays_block());
  row.blocks = w_.CreatePHI(word, 2);
  row.blocks->addIncoming(count, w_.arrays_block());
  w_.CreateBr(first_instruction);
  w_.know(Special::ctaid_x, uniform(row.column));
  w_.SetInsertPoint(first_instruction);
  row.warp = w_.CreatePHI(word, 2);
  row.warp->addIncoming(w_.function()->getArg(1), row.block);
  w_.set_warp(row.warp);
  return row;
}

// Goes on to the next warp, then to the next block; emission continues after the whole row.
void RegionWalker::close_row(const RowLoop& row, llvm::BasicBlock* first_instruction) {
  llvm::BasicBlock* const done = w_.new_block("done");
  llvm::BasicBlock* const next = w_.new_block("next");
  llvm::BasicBlock* const end = w_.new_block("end");
  V* const warp = w_.CreateAdd(row.warp, w_.i32(1));
  row.warp->addIncoming(warp, w_.GetInsertBlock());
  w_.CreateCondBr(w_.CreateICmpULT(warp, w_.function()->getArg(2)), first_instruction, done);
  w_.SetInsertPoint(done);
  w_.CreateCondBr(w_.CreateICmpUGT(row.blocks, w_.i32(1)), next, end);
  w_.SetInsertPoint(next);
  row.column->addIncoming(emit_step_to_next_block(row.column), next);
  row.blocks->addIncoming(w_.CreateSub(row.blocks, w_.i32(1)), next);
  w_.CreateBr(row.block);
  w_.SetInsertPoint(end);
}

}  // namespace cuvette::ptx
