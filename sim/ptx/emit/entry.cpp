// SPDX-License-Identifier: Apache-2.0
// How a warp begins and ends: the loops over the warps of a block and the blocks of a row, what is
// known before the first instruction, and where a warp goes on that has stopped.
#include <optional>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::emit_prologue() {
  // The indices of the warp's threads, and which of its lanes exist.
  llvm::Type* const word = builder_.getInt32Ty();
  V* const first = builder_.CreateMul(warp_, i32(warp_size), "", true, true);
  const auto extent = [&](int d) {
    return context_field(offsetof(BlockContext, ntid) + 4 * static_cast<size_t>(d), word);
  };
  Value x, y, z;
  if (class_.shape() == BlockClass::Shape::rows) {
    if (class_.one_dimensional()) {
      x = uniform(first);
      y = z = uniform(i32(0));
    } else {
      // Divisions are slow: as few as the class allows.
      V* const row = class_.row_is_warp() ? warp_ : builder_.CreateUDiv(first, extent(0));
      x = uniform(class_.row_is_warp() ? i32(0) : builder_.CreateURem(first, extent(0)));
      y = uniform(class_.flat() ? row : builder_.CreateURem(row, extent(1)));
      z = uniform(class_.flat() ? i32(0) : builder_.CreateUDiv(row, extent(1)));
    }
    x.shape.stride = 1;
  } else if (class_.shape() == BlockClass::Shape::half_rows) {
    x.shape = {Shape::Kind::affine, false, false, 1};
    y.shape = z.shape = {Shape::Kind::affine, false, false, 0};
    for (unsigned half = 0; half < 2; ++half) {
      V* const row = builder_.CreateAdd(builder_.CreateMul(warp_, i32(2)), i32(half));
      x.scalar[half] = i32(0);
      y.scalar[half] = class_.flat() ? row : builder_.CreateURem(row, extent(1));
      z.scalar[half] = class_.flat() ? i32(0) : builder_.CreateUDiv(row, extent(1));
    }
  } else {
    V* const thread = builder_.CreateAdd(splat(first), lanes(1, word));
    V* const row = builder_.CreateUDiv(thread, splat(extent(0)));
    x = varying(builder_.CreateURem(thread, splat(extent(0))));
    y = varying(class_.flat() ? row : builder_.CreateURem(row, splat(extent(1))));
    z = varying(class_.flat() ? splat(i32(0)) : builder_.CreateUDiv(row, splat(extent(1))));
  }
  specials_[Special::tid_x] = x;
  specials_[Special::tid_y] = y;
  specials_[Special::tid_z] = z;
  if (!input_.function.is_entry) {
    base_bits_ = function_->getArg(2);
  } else if (!class_.full_warps()) {
    V* const threads = context_field(offsetof(BlockContext, threads), word);
    V* left = builder_.CreateSub(builder_.CreateZExt(threads, builder_.getInt64Ty()),
                                 builder_.CreateZExt(first, builder_.getInt64Ty()));
    left = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, i64(warp_size));
    base_bits_ =
        builder_.CreateTrunc(builder_.CreateSub(builder_.CreateShl(i64(1), left), i64(1)), word);
  }
}

llvm::Function* Emitter::warp_function(const Function& function) {
  const bool together = function.is_entry && input_.kernels > 1;
  const std::string name = together            ? "kernels"
                           : function.is_entry ? "entry"
                                               : "function." + std::string(function.name);
  if (llvm::Function* const known = module_.getFunction(name)) return known;
  llvm::Type* const word = builder_.getInt32Ty();
  std::vector<llvm::Type*> parameters{builder_.getPtrTy(), word, word};
  if (together) parameters.push_back(word);
  llvm::Function* const made =
      llvm::Function::Create(llvm::FunctionType::get(word, parameters, false),
                             function.is_entry && !together ? llvm::Function::ExternalLinkage
                                                            : llvm::Function::InternalLinkage,
                             name, module_);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  made->getArg(0)->addAttr(
      llvm::Attribute::getWithDereferenceableBytes(llvm_, sizeof(BlockContext)));
  made->getArg(0)->addAttr(llvm::Attribute::getWithAlignment(llvm_, llvm::Align(8)));
  return made;
}

void Emitter::emit_entries() {
  for (uint32_t number = 0; number < input_.kernels; ++number) {
    llvm::Type* const word = builder_.getInt32Ty();
    llvm::Function* const entry = llvm::Function::Create(
        llvm::FunctionType::get(word, {builder_.getPtrTy(), word, word}, false),
        llvm::Function::ExternalLinkage, "entry" + llvm::Twine(number), module_);
    entry->addFnAttr(llvm::Attribute::NoUnwind);
    Builder builder(llvm::BasicBlock::Create(llvm_, "", entry));
    llvm::CallInst* const call = builder.CreateCall(
        function_, {entry->getArg(0), entry->getArg(1), entry->getArg(2), i32(number)});
    call->setTailCall();
    builder.CreateRet(call);
  }
}

// The next block of the row: those who ask about the block find it in the context.
llvm::Value* Emitter::emit_step_to_next_block(V* column) {
  llvm::Type* const word = builder_.getInt32Ty();
  const auto keep = [&](size_t offset, V* value) {
    builder_.CreateStore(value, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(),
                                                                    function_->getArg(0), offset));
    return value;
  };
  V* const processor =
      builder_.CreateAdd(context_field(offsetof(BlockContext, smid), word, false), i32(1));
  V* const processors = context_field(offsetof(BlockContext, nsmid), word);
  keep(offsetof(BlockContext, smid),
       builder_.CreateSelect(builder_.CreateICmpEQ(processor, processors), i32(0), processor));
  return keep(offsetof(BlockContext, ctaid), builder_.CreateAdd(column, i32(1)));
}

namespace {

// What a warp's registers may take of a thread's stack, and of a frame in the block's memory.
constexpr uint64_t most_on_stack = 1 << 20, most_in_frame = 16 << 20;

}  // namespace

bool Emitter::run() {
  needs_frames_ =
      std::any_of(body_.instructions.begin(), body_.instructions.end(), [](const auto& i) {
        return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && !i.has(dot::arrive) &&
               !i.has(dot::warp);
      });
  for (const Loop& loop : flow_.loops) needs_frames_ |= loop.spins;
  function_ = warp_function(input_.function);
  allocas_ = new_block("slots");
  llvm::BasicBlock* const begin = new_block("warp");
  finish_ = new_block("finish");
  for (BlockId b = 0; b < flow_.blocks.size(); ++b)
    entries_.push_back(new_block("b" + llvm::Twine(b)));
  if (input_.quickly) variables_.use_memory();
  make_variables();
  needs_ = Needs(body_, flow_, shapes_);
  for (BlockId b = 0; b < flow_.blocks.size(); ++b) variables_.forget(entries_[b], b);

  // One warp after the other, and one block of the row after the other. Those with frames are
  // called for one warp, which may have begun already, and what kernels call is called for one.
  const bool one_warp = needs_frames_ || !input_.function.is_entry;
  std::optional<RowLoop> row;
  if (!one_warp) row = open_row(begin);
  builder_.SetInsertPoint(begin);
  if (one_warp) warp_ = function_->getArg(1);
  emit_prologue();
  if (needs_frames_) emit_resumption();
  mask_ = base_mask();
  if (shapes_.region[0] >= 0) push(0, active_mask());
  builder_.CreateBr(entries_[0]);
  for (BlockId b = 0; b < flow_.blocks.size() && !failed_; ++b) emit_block(b);
  // Blocks of regions are tested before they are entered; these tests name further ones.
  builder_.SetInsertPoint(finish_);
  if (row) close_row(*row, begin);
  builder_.CreateRet(i32(static_cast<uint32_t>(Status::finished)));
  builder_.SetInsertPoint(allocas_);
  builder_.CreateBr(row ? row->block : begin);
  if (failed_) return false;
  // Nothing has run yet: registers are 0, and nobody waits anywhere.
  if (!input_.quickly)
    variables_.finish(*function_, begin, needs_);
  else if (!place_variables(begin))
    return false;
  if (input_.kernels > 1) emit_entries();
  result_.uses_barriers |= needs_frames_;
  return true;
}

bool Emitter::place_variables(llvm::BasicBlock* begin) {
  std::vector<Variables::Span> spans(body_.registers.size());
  std::vector<uint32_t> registers, ends;
  uint32_t at = 0;  // in the order of the blocks
  std::vector<uint32_t> begins;
  for (const Block& block : flow_.blocks) {
    begins.push_back(at);
    block.live_in.each([&](uint32_t r) { spans[r].add(at, at); });
    for (uint32_t i = block.first; i < block.end; ++i, ++at) {
      registers.clear();
      Flow::written(body_.instructions[i], registers);
      Flow::read(body_.instructions[i], registers);
      for (const uint32_t r : registers) spans[r].add(at, at);
    }
    block.live_out.each([&](uint32_t r) { spans[r].add(at, at); });
    ends.push_back(at++);
  }
  needs_.each_run([&](uint32_t key, BlockId first, BlockId last) {
    if (key < spans.size()) spans[key].add(begins[first], ends[last]);
  });
  uint64_t bytes = 0;
  if (needs_frames_) {
    // They lie in the warp's frame at once, so that a stop has nothing to keep: copies at each stop
    // were nearly all of the code of kernels with hundreds of stops.
    auto* const frame = llvm::cast<llvm::Instruction>(frame_);
    builder_.SetInsertPoint(frame->getNextNode());
    auto* const memory = llvm::cast<llvm::Instruction>(
        builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, frame_head));
    bytes = variables_.place_in_memory(memory, resume_->getDefaultDest(), spans,
                                       flow_.blocks[0].live_in);
    result_.frame_bytes = frame_head + static_cast<uint32_t>(bytes);
  } else {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    builder_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    llvm::AllocaInst* const memory = builder_.CreateAlloca(builder_.getInt8Ty(), i32(64));
    memory->setAlignment(llvm::Align(64));
    bytes = variables_.place_in_memory(memory, begin, spans, flow_.blocks[0].live_in);
    memory->setOperand(0, i32(static_cast<uint32_t>(std::max<uint64_t>(bytes, 64))));
  }
  const uint64_t most = needs_frames_ ? most_in_frame : most_on_stack;
  if (bytes <= most) return true;
  result_.error = "its registers take " + std::to_string(bytes) +
                  " bytes of a warp at once: more than " + std::to_string(most) +
                  " cannot be compiled";
  return false;
}

// Where the warp left off.
void Emitter::emit_resumption() {
  V* const frames = context_field(offsetof(BlockContext, frames), builder_.getPtrTy());
  V* const stride = context_field(offsetof(BlockContext, frame_stride), builder_.getInt64Ty());
  frame_ = builder_.CreateGEP(
      builder_.getInt8Ty(), frames,
      builder_.CreateMul(builder_.CreateZExt(warp_, builder_.getInt64Ty()), stride));
  V* const state = builder_.CreateLoad(builder_.getInt32Ty(), frame_);
  llvm::BasicBlock* const fresh = new_block("fresh");
  resume_ = builder_.CreateSwitch(state, fresh);
  builder_.SetInsertPoint(fresh);
  result_.frame_bytes = frame_head;
}

Emitter::RowLoop Emitter::open_row(llvm::BasicBlock* first_instruction) {
  llvm::Type* const word = builder_.getInt32Ty();
  RowLoop row;
  row.block = new_block("block");
  builder_.SetInsertPoint(allocas_);
  V* const first = context_field(offsetof(BlockContext, ctaid), word, false);
  V* const count = context_field(offsetof(BlockContext, row_blocks), word);
  builder_.SetInsertPoint(row.block);
  row.column = builder_.CreatePHI(word, 2);
  row.column->addIncoming(first, allocas_);
  row.blocks = builder_.CreatePHI(word, 2);
  row.blocks->addIncoming(count, allocas_);
  builder_.CreateBr(first_instruction);
  specials_[Special::ctaid_x] = uniform(row.column);
  builder_.SetInsertPoint(first_instruction);
  row.warp = builder_.CreatePHI(word, 2);
  row.warp->addIncoming(function_->getArg(1), row.block);
  warp_ = row.warp;
  return row;
}

// A warp is done; goes on where all are.
void Emitter::close_row(const RowLoop& row, llvm::BasicBlock* first_instruction) {
  llvm::BasicBlock* const done = new_block("done");
  llvm::BasicBlock* const next = new_block("next");
  llvm::BasicBlock* const end = new_block("end");
  V* const warp = builder_.CreateAdd(row.warp, i32(1));
  row.warp->addIncoming(warp, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpULT(warp, function_->getArg(2)), first_instruction,
                        done);
  builder_.SetInsertPoint(done);
  builder_.CreateCondBr(builder_.CreateICmpUGT(row.blocks, i32(1)), next, end);
  builder_.SetInsertPoint(next);
  row.column->addIncoming(emit_step_to_next_block(row.column), next);
  row.blocks->addIncoming(builder_.CreateSub(row.blocks, i32(1)), next);
  builder_.CreateBr(row.block);
  builder_.SetInsertPoint(end);
}

}  // namespace cuvette::ptx
