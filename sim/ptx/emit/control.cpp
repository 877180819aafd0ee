// SPDX-License-Identifier: Apache-2.0
// How a warp walks through a kernel: blocks in order, with the lanes that are there; loops at whose
// end those lanes meet that go round again; stops on the way.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/opaque.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {
llvm::BasicBlock* Emitter::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(llvm_, name, function_);
}

void Emitter::unlikely(llvm::BranchInst* branch) {
  branch->setMetadata(llvm::LLVMContext::MD_prof,
                      llvm::MDBuilder(llvm_).createBranchWeights(1, 1u << 20));
}

llvm::Value* Emitter::opaque(V* number) { return make_opaque(builder_, number, "=r,0"); }

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

// --- Before the first instruction ---

void Emitter::emit_prologue() {
  // The indices of the warp's threads, and which of its lanes exist.
  llvm::Type* const word = builder_.getInt32Ty();
  V* const first = builder_.CreateMul(warp_, i32(warp_size), "", true, true);
  const auto extent = [&](int d) {
    return context_field(offsetof(BlockContext, ntid) + 4 * static_cast<size_t>(d), word);
  };
  Value x, y, z;
  if (class_.shape == BlockClass::Shape::rows) {
    if (class_.one_dimensional) {
      x = uniform(first);
      y = z = uniform(i32(0));
    } else {
      // Divisions are slow: as few as the class allows.
      V* const row = class_.row_is_warp ? warp_ : builder_.CreateUDiv(first, extent(0));
      x = uniform(class_.row_is_warp ? i32(0) : builder_.CreateURem(first, extent(0)));
      y = uniform(class_.flat ? row : builder_.CreateURem(row, extent(1)));
      z = uniform(class_.flat ? i32(0) : builder_.CreateUDiv(row, extent(1)));
    }
    x.shape.stride = 1;
  } else if (class_.shape == BlockClass::Shape::half_rows) {
    x.shape = {Shape::Kind::affine, false, false, 1};
    y.shape = z.shape = {Shape::Kind::affine, false, false, 0};
    for (unsigned half = 0; half < 2; ++half) {
      V* const row = builder_.CreateAdd(builder_.CreateMul(warp_, i32(2)), i32(half));
      x.scalar[half] = i32(0);
      y.scalar[half] = class_.flat ? row : builder_.CreateURem(row, extent(1));
      z.scalar[half] = class_.flat ? i32(0) : builder_.CreateUDiv(row, extent(1));
    }
  } else {
    V* const thread = builder_.CreateAdd(splat(first), lanes(1, word));
    V* const row = builder_.CreateUDiv(thread, splat(extent(0)));
    x = varying(builder_.CreateURem(thread, splat(extent(0))));
    y = varying(class_.flat ? row : builder_.CreateURem(row, splat(extent(1))));
    z = varying(class_.flat ? splat(i32(0)) : builder_.CreateUDiv(row, splat(extent(1))));
  }
  specials_[Special::tid_x] = x;
  specials_[Special::tid_y] = y;
  specials_[Special::tid_z] = z;
  if (!input_.function.is_entry) {
    base_bits_ = function_->getArg(2);
  } else if (!class_.full_warps) {
    V* const threads = context_field(offsetof(BlockContext, threads), word);
    V* left = builder_.CreateSub(builder_.CreateZExt(threads, builder_.getInt64Ty()),
                                 builder_.CreateZExt(first, builder_.getInt64Ty()));
    left = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, i64(warp_size));
    base_bits_ =
        builder_.CreateTrunc(builder_.CreateSub(builder_.CreateShl(i64(1), left), i64(1)), word);
  }
}

llvm::Function* Emitter::warp_function(const Function& function) {
  const std::string name = function.is_entry ? "entry" : "function." + std::string(function.name);
  if (llvm::Function* const known = module_.getFunction(name)) return known;
  llvm::Type* const word = builder_.getInt32Ty();
  llvm::Function* const made = llvm::Function::Create(
      llvm::FunctionType::get(word, {builder_.getPtrTy(), word, word}, false),
      function.is_entry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name,
      module_);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  made->getArg(0)->addAttr(
      llvm::Attribute::getWithDereferenceableBytes(llvm_, sizeof(BlockContext)));
  made->getArg(0)->addAttr(llvm::Attribute::getWithAlignment(llvm_, llvm::Align(8)));
  return made;
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

bool Emitter::run() {
  needs_frames_ =
      std::any_of(body_.instructions.begin(), body_.instructions.end(), [](const auto& i) {
        return (i.opcode == "bar" || i.opcode == "barrier") && !i.has("arrive") && !i.has("warp");
      });
  for (const Loop& loop : flow_.loops) needs_frames_ |= loop.spins;
  function_ = warp_function(input_.function);
  allocas_ = new_block("slots");
  llvm::BasicBlock* const begin = new_block("warp");
  finish_ = new_block("finish");
  for (BlockId b = 0; b < flow_.blocks.size(); ++b)
    entries_.push_back(new_block("b" + llvm::Twine(b)));
  make_variables();
  needs_ = find_needs(body_, flow_, shapes_);
  for (BlockId b = 0; b < flow_.blocks.size(); ++b)
    variables_.forget(entries_[b], needs_.needed[b]);

  // One warp after the other, and one block of the row after the other. Those with frames are called
  // for one warp, which may have begun already, and what kernels call is called for one.
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
  variables_.finish(*function_, begin);
  result_.uses_barriers |= needs_frames_;
  return true;
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
  result_.frame_bytes = 64;
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

// --- Blocks ---

void Emitter::emit_block(BlockId block) {
  builder_.SetInsertPoint(entries_[block]);
  block_ = block;
  mask_ = base_mask();
  if (shapes_.region[block] >= 0) {
    mask_ = kept_mask(masks_[block]);
    keep_mask(masks_[block], llvm::Constant::getNullValue(mask_->getType()));
    keep_mask(block_mask_, mask_);
  }
  const Block& here = flow_.blocks[block];
  instruction_ = here.first;
  wait_for_members(block);
  find_groups(block);
  const uint32_t end = here.has_terminator ? here.end - 1 : here.end;
  find_indexed(block);
  if (goes_straight(block)) {
    emit_both_ways(here.first, end);
  } else {
    for (instruction_ = here.first; instruction_ < end && !failed_; ++instruction_) emit_and_tidy();
  }
  if (!failed_) emit_terminator(block);
}

// Lanes that spin may come here yet: those that are to meet them wait.
void Emitter::wait_for_members(BlockId block) {
  const Block& here = flow_.blocks[block];
  const int32_t region = shapes_.region[block];
  if (region < 0 || here.meeting == Meeting::none) return;
  V* spinning = nullptr;
  for (const BlockId place : shapes_.next_turns(flow_, region)) {
    // Who waits behind it has been here, and comes again only round a loop that has both in it.
    if (place < block || std::ranges::any_of(flow_.loops, [&](const Loop& loop) {
          return loop.contains(place) && loop.contains(block);
        }))
      add_lanes(spinning, place);
  }
  if (!spinning) return;
  llvm::BasicBlock* const missing = new_block("missing");
  llvm::BasicBlock* const wait = new_block("wait");
  llvm::BasicBlock* const together = new_block("together");
  unlikely(builder_.CreateCondBr(builder_.CreateICmpNE(spinning, i32(0)), missing, together));
  builder_.SetInsertPoint(missing);
  V* waiting = mask_;
  if (here.meeting == Meeting::members) {
    V* const members = read_vector(body_.instructions[here.first].operands.back(), Type::b32);
    V* const missed = builder_.CreateAnd(members, splat(spinning));
    waiting = builder_.CreateAnd(
        mask_, builder_.CreateICmpNE(missed, llvm::Constant::getNullValue(missed->getType())));
  }
  push(block, waiting);
  V* const rest = builder_.CreateAnd(mask_, builder_.CreateNot(waiting));
  keep_mask(block_mask_, rest);
  builder_.CreateCondBr(any(rest), together, wait);
  builder_.SetInsertPoint(wait);
  advance(block, region);
  builder_.SetInsertPoint(together);
  mask_ = kept_mask(block_mask_);
}

void Emitter::emit_and_tidy() {
  emit(body_.instructions[instruction_]);
  for (const auto& array : arrays_in_use_) arrays_.insert(array);
  arrays_in_use_.clear();
}

void Emitter::emit_terminator(BlockId block) {
  const Block& here = flow_.blocks[block];
  const int32_t region = shapes_.region[block];
  const Instruction* const last = here.has_terminator ? &body_.instructions[here.end - 1] : nullptr;
  instruction_ = here.end > here.first ? here.end - 1 : here.first;
  V* const all = active_mask();
  llvm::Constant* const nobody = llvm::Constant::getNullValue(all->getType());

  if (last && last->opcode == "brx") {
    const Value index = read(last->operands[0], Type::u32);
    const size_t targets = here.successors.size() - (last->predicate ? 1 : 0);
    if (region < 0 && index.shape.is_uniform() && !last->predicate) {
      llvm::SwitchInst* const choice =
          builder_.CreateSwitch(index.scalar[0], finish_, static_cast<unsigned>(targets));
      for (size_t t = 0; t < targets; ++t) {
        llvm::BasicBlock* const way = new_block("case");
        choice->addCase(builder_.getInt32(static_cast<uint32_t>(t)), way);
        builder_.SetInsertPoint(way);
        go(block, here.successors[t]);
      }
      return;
    }
    V* lanes = all;
    if (last->predicate) {
      V* p = vector_of(read_register(*last->predicate, Type::pred));
      if (last->predicate_negated) p = builder_.CreateNot(p);
      lanes = builder_.CreateAnd(all, p);
      push(here.successors.back(), builder_.CreateAnd(all, builder_.CreateNot(p)));
    }
    V* const vector = vector_of(index);
    for (size_t t = 0; t < targets; ++t)
      push(here.successors[t],
           builder_.CreateAnd(lanes,
                              builder_.CreateICmpEQ(vector, splat(i32(static_cast<uint32_t>(t))))));
  } else if (here.successors.size() == 1) {
    go(block, here.successors[0]);
    return;
  } else {
    const Value predicate = read_register(*last->predicate, Type::pred);
    const BlockId taken = here.successors[last->predicate_negated ? 1 : 0];
    const BlockId other = here.successors[last->predicate_negated ? 0 : 1];
    if (predicate.shape.is_uniform() && region < 0) {
      llvm::BasicBlock* const one = new_block("taken");
      llvm::BasicBlock* const two = new_block("other");
      builder_.CreateCondBr(predicate.scalar[0], one, two);
      builder_.SetInsertPoint(one);
      go(block, taken);
      builder_.SetInsertPoint(two);
      go(block, other);
      return;
    }
    if (predicate.shape.is_uniform()) {
      push(taken, builder_.CreateSelect(predicate.scalar[0], all, nobody));
      push(other, builder_.CreateSelect(predicate.scalar[0], nobody, all));
    } else {
      push(taken, builder_.CreateAnd(all, predicate.vector));
      push(other, builder_.CreateAnd(all, builder_.CreateNot(predicate.vector)));
    }
  }
  // A branch outside of all regions opens one. Where its lanes go is not enough to know which:
  // they may meet in another one.
  const int32_t ahead = region < 0 ? shapes_.opens[block] : region;
  if (ahead < 0) {
    // All ways lead to the same place.
    BlockId target = exit_block;
    for (const BlockId next : here.successors)
      if (next != exit_block) target = next;
    go(block, target);
    return;
  }
  advance(block, ahead);
}

void Emitter::push(BlockId to, V* lanes) {
  // Who leaves the region waits where it ends; who leaves the kernel is gone.
  if (to == exit_block || shapes_.region[to] < 0) return;
  set(masks_[to], builder_.CreateOr(get(masks_[to]), bits_of(lanes)));
}

void Emitter::go(BlockId from, BlockId to) {
  const int32_t here = shapes_.region[from];
  if (here >= 0) {
    push(to, active_mask());
    advance(from, here);
    return;
  }
  if (to == exit_block) return finish_warp();
  if (to <= from) {
    for (const Loop& loop : flow_.loops) {
      if (!loop.spins || !loop.contains(from) || !loop.contains(to)) continue;
      // All lanes wait together: now and then others have their turn.
      V* const turns = builder_.CreateAdd(get(turns_), i32(1));
      set(turns_, turns);
      when(builder_.CreateICmpUGE(turns, i32(input_.request.turns_alone)),
           [&] { suspend(Status::yielded, flow_.blocks[to].live_in); });
      break;
    }
  }
  if (shapes_.region[to] >= 0) push(to, active_mask());
  builder_.CreateBr(entries_[to]);
}

// --- Regions ---

void Emitter::advance(BlockId from, int32_t region) {
  // The end of a loop is behind the last of its blocks that are in the region.
  for (size_t l = flow_.loops.size(); l-- > 0;) {
    const Loop& loop = flow_.loops[l];
    if (!loop.contains(from)) continue;
    BlockId last = from;
    for (BlockId b = from + 1; b <= loop.last; ++b)
      if (shapes_.region[b] == region) last = b;
    if (last != from) continue;
    V* more = nullptr;  // turns before others have theirs
    std::vector<BlockId> targets = loop.next_turn;
    if (shapes_.turns_freely(flow_, region))
      targets.insert(targets.end(), loop.meetings.begin(), loop.meetings.end());
    for (const BlockId target : targets) {
      if (shapes_.region[target] != region) continue;
      V* again = builder_.CreateICmpNE(get(masks_[target]), i32(0));
      if (loop.spins) {
        if (!more) {
          V* const turns = builder_.CreateAdd(get(turns_), i32(1));
          set(turns_, turns);
          more = builder_.CreateICmpNE(builder_.CreateAnd(turns, i32(input_.request.turns_alone - 1)), i32(0));
        }
        again = builder_.CreateAnd(again, more);
      }
      llvm::BasicBlock* const on = new_block("on");
      builder_.CreateCondBr(again, entries_[target], on);
      builder_.SetInsertPoint(on);
    }
  }
  for (BlockId next = from + 1; next < flow_.blocks.size(); ++next) {
    if (shapes_.region[next] != region) continue;
    llvm::BasicBlock*& test = tests_[next];
    const bool known = test != nullptr;
    if (!known) {
      test = new_block("test" + llvm::Twine(next));
      variables_.forget(test, needs_.needed[next]);
    }
    builder_.CreateBr(test);
    if (known) return;
    builder_.SetInsertPoint(test);
    llvm::BasicBlock* const skip = new_block("skip" + llvm::Twine(next));
    builder_.CreateCondBr(builder_.CreateICmpNE(get(masks_[next]), i32(0)), entries_[next], skip);
    builder_.SetInsertPoint(skip);
    advance(next, region);
    return;
  }
  leave_region(from, region);
}

void Emitter::leave_region(BlockId from, int32_t region) {
  // Lanes that were left spinning have their next turn.
  llvm::Type* const mask = vector_type(builder_.getInt1Ty());
  V* waiting = nullptr;
  for (const BlockId place : shapes_.waiting_places(flow_, region)) add_lanes(waiting, place);
  if (waiting) {
    llvm::BasicBlock* const wait = new_block("wait");
    llvm::BasicBlock* const leave = new_block("leave");
    builder_.CreateCondBr(builder_.CreateICmpNE(waiting, i32(0)), wait, leave);
    builder_.SetInsertPoint(wait);
    suspend_region(Status::yielded, region);
    resume_somewhere(region);
    builder_.SetInsertPoint(leave);
  }
  const BlockId exit = shapes_.region_exit[static_cast<size_t>(region)];
  if (exit == exit_block) return finish_warp();
  if (shapes_.region[exit] >= 0) {
    V* const all = base_bits_ ? base_mask() : llvm::Constant::getAllOnesValue(mask);
    push(exit, all);
  }
  builder_.CreateBr(entries_[exit]);
}

// Adds those that wait at `place` to `lanes`, which may be null.
void Emitter::add_lanes(V*& lanes, BlockId place) {
  V* const there = get(masks_[place]);
  lanes = lanes ? builder_.CreateOr(lanes, there) : there;
}

// The first place of the region where lanes wait for their turn: from there they come by all
// others.
void Emitter::resume_somewhere(int32_t region) {
  for (const BlockId place : shapes_.waiting_places(flow_, region)) {
    llvm::BasicBlock* const other = new_block("other");
    builder_.CreateCondBr(builder_.CreateICmpNE(get(masks_[place]), i32(0)), entries_[place],
                          other);
    builder_.SetInsertPoint(other);
  }
  builder_.CreateUnreachable();
}

void Emitter::finish_warp() { builder_.CreateBr(finish_); }

void Emitter::fail_warp(V* status) {
  llvm::BasicBlock* const here = builder_.GetInsertBlock();
  if (!failure_) {
    builder_.SetInsertPoint(new_block("failed"));
    failure_ = builder_.CreatePHI(status->getType(), 2);
    builder_.CreateRet(failure_);
    builder_.SetInsertPoint(here);
  }
  failure_->addIncoming(status, here);
  builder_.CreateBr(failure_->getParent());
}

// --- Stops ---

// After a stop what was computed before is no longer at hand.
void Emitter::reload_mask() {
  if (straight_) {
    mask_ = nullptr;
    return;
  }
  mask_ = shapes_.region[block_] < 0 ? base_mask() : kept_mask(block_mask_);
}

BitSet Emitter::live_behind(BlockId block, uint32_t instruction) {
  const Block& here = flow_.blocks[block];
  BitSet live = here.live_out;
  std::vector<uint32_t> registers;
  for (uint32_t i = here.end; i-- > instruction + 1;) {
    registers.clear();
    Flow::written(body_.instructions[i], registers);
    for (const uint32_t r : registers) live.erase(r);
    registers.clear();
    Flow::read(body_.instructions[i], registers);
    for (const uint32_t r : registers) live.insert(r);
  }
  return live;
}

void Emitter::suspend(Status status, const BitSet& live) {
  BitSet kept = needs_.waiting[block_];
  kept.insert_all(live);
  leave_and_return(status, kept);
  reload_mask();
}

// A branch outside of the region may be what leads here.
void Emitter::suspend_region(Status status, int32_t region) {
  BitSet kept(body_.registers.size() + flow_.blocks.size());
  for (const BlockId place : shapes_.waiting_places(flow_, region))
    kept.insert_all(needs_.needed[place]);
  const BlockId exit = shapes_.region_exit[static_cast<size_t>(region)];
  if (exit != exit_block) kept.insert_all(flow_.blocks[exit].live_in);
  leave_and_return(status, kept);
}

void Emitter::leave_and_return(Status status, const BitSet& kept) {
  // Largest first, so that all are aligned.
  std::vector<std::pair<llvm::Type*, Variables::Id>> slots;
  const auto keep = [&](Variables::Id one) {
    if (one != Variables::none) slots.emplace_back(variables_.type_of(one), one);
  };
  const auto registers = static_cast<uint32_t>(body_.registers.size());
  kept.each([&](uint32_t r) {
    if (r >= registers) return keep(masks_[r - registers]);
    const Slot& slot = slots_[r];
    for (const Variables::Id one : {slot.vector, slot.scalar[0], slot.scalar[1], slot.step[0],
                                    slot.step[1], slot.step_lane[0], slot.step_lane[1]})
      keep(one);
  });
  if (shapes_.region[block_] >= 0) keep(block_mask_);
  // Masks go as numbers of 32 bits.
  const auto memory_type = [&](llvm::Type* type) -> llvm::Type* {
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector && vector->getElementType()->isIntegerTy(1)) return builder_.getInt32Ty();
    return type->isIntegerTy(1) ? builder_.getInt8Ty() : type;
  };
  const auto bytes = [&](llvm::Type* type) {
    return static_cast<uint32_t>(memory_type(type)->getPrimitiveSizeInBits().getFixedValue() / 8);
  };
  std::stable_sort(slots.begin(), slots.end(),
                   [&](const auto& a, const auto& b) { return bytes(a.first) > bytes(b.first); });
  uint32_t at = 64;
  const auto place = [&](uint32_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offset);
  };
  const auto align = [&](llvm::Type* type) {
    return llvm::Align(std::min<uint32_t>(64, std::max<uint32_t>(1, bytes(type))));
  };
  for (const auto& [type, slot] : slots) {
    V* value = get(slot);
    if (memory_type(type) != type)
      value = type->isVectorTy() ? bits_of(value) : builder_.CreateZExt(value, memory_type(type));
    builder_.CreateAlignedStore(value, place(at), align(type));
    at += bytes(type);
  }
  result_.frame_bytes = std::max(result_.frame_bytes, (at + 63) & ~63u);
  const uint32_t state = ++suspensions_;
  builder_.CreateStore(i32(state), frame_);
  builder_.CreateRet(i32(static_cast<uint32_t>(status)));

  llvm::BasicBlock* const again = new_block("again" + llvm::Twine(state));
  resume_->addCase(builder_.getInt32(state), again);
  builder_.SetInsertPoint(again);
  at = 64;
  for (const auto& [type, slot] : slots) {
    V* value = builder_.CreateAlignedLoad(memory_type(type), place(at), align(type));
    if (memory_type(type) != type)
      value = type->isVectorTy() ? mask_of(value) : builder_.CreateTrunc(value, type);
    set(slot, value);
    at += bytes(type);
  }
  set(turns_, i32(0));
}

}  // namespace cuvette::ptx
