// SPDX-License-Identifier: Apache-2.0
// How a warp walks through a kernel: blocks in order, with the lanes that are there; loops at whose
// end those lanes meet that go round again.
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
  for (const BlockId place : shapes_.next_turns(region)) {
    bool again = false;
    flow_.each_loop(block, [&](const Loop& loop) { return !(again = loop.contains(place)); });
    // Who waits behind it has been here, and comes again only round a loop that has both in it.
    if (place < block || again) add_lanes(spinning, place);
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

  if (last && last->opcode == Opcode::brx) {
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
    const Loop* round = nullptr;  // the innermost around both
    flow_.each_loop(from, [&](const Loop& loop) {
      if (loop.contains(to)) round = &loop;
      return !round;
    });
    if (round && round->spins) {
      // All lanes wait together: now and then others have their turn.
      when(turns_are_over(), [&] {
        suspend(round->waits ? Status::yielded : Status::asleep, flow_.blocks[to].live_in);
      });
    }
  }
  if (shapes_.region[to] >= 0) push(to, active_mask());
  builder_.CreateBr(entries_[to]);
}

// --- Regions ---

// Counts one more turn of a loop that spins. Once its turns are over the warp goes on through the
// rest of its region, where every other loop that spins has one turn, and stops at the end.
llvm::Value* Emitter::turns_are_over() {
  V* const turns = builder_.CreateAdd(get(turns_), i32(1));
  set(turns_, turns);
  return builder_.CreateICmpUGE(turns, i32(input_.request.turns_alone));
}

// Whether what others do may be needed for `block` to come to its end.
bool Emitter::waits_in(BlockId block) const {
  return std::ranges::any_of(flow_.loops,
                             [&](const Loop& loop) { return loop.waits && loop.contains(block); });
}

void Emitter::advance(BlockId from, int32_t region) {
  const std::vector<BlockId>& blocks = shapes_.region_blocks[static_cast<size_t>(region)];
  for (auto next = std::ranges::upper_bound(blocks, from); next != blocks.end(); ++next) {
    turn_back(from, region, *next);
    llvm::BasicBlock*& test = tests_[*next];
    const bool known = test != nullptr;
    if (!known) {
      test = new_block("test" + llvm::Twine(*next));
      variables_.forget(test, *next);
    }
    builder_.CreateBr(test);
    if (known) return;
    builder_.SetInsertPoint(test);
    llvm::BasicBlock* const skip = new_block("skip" + llvm::Twine(*next));
    builder_.CreateCondBr(builder_.CreateICmpNE(get(masks_[*next]), i32(0)), entries_[*next], skip);
    builder_.SetInsertPoint(skip);
    from = *next;
  }
  turn_back(from, region, exit_block);
  leave_region(from, region);
}

// Loops that end between `from` and the next block of the region: who waits there for the next turn
// goes round again.
void Emitter::turn_back(BlockId from, int32_t region, BlockId next) {
  flow_.each_loop(from, [&](const Loop& loop) {
    if (next != exit_block && loop.contains(next)) return false;
    V* more = nullptr;  // turns before others have theirs
    std::vector<BlockId> targets = loop.next_turn;
    if (shapes_.turns_freely(flow_, region))
      targets.insert(targets.end(), loop.meetings.begin(), loop.meetings.end());
    for (const BlockId target : targets) {
      if (shapes_.region[target] != region) continue;
      V* again = builder_.CreateICmpNE(get(masks_[target]), i32(0));
      if (loop.spins) {
        if (!more) more = builder_.CreateNot(turns_are_over());
        again = builder_.CreateAnd(again, more);
      }
      llvm::BasicBlock* const on = new_block("on");
      builder_.CreateCondBr(again, entries_[target], on);
      builder_.SetInsertPoint(on);
    }
    return true;
  });
}

void Emitter::leave_region(BlockId from, int32_t region) {
  // Lanes that were left spinning have their next turn.
  llvm::Type* const mask = vector_type(builder_.getInt1Ty());
  V* waiting = nullptr;
  bool for_others = false;
  for (const BlockId place : shapes_.waiting_places(region)) {
    add_lanes(waiting, place);
    for_others |= waits_in(place);
  }
  if (waiting) {
    llvm::BasicBlock* const wait = new_block("wait");
    llvm::BasicBlock* const leave = new_block("leave");
    builder_.CreateCondBr(builder_.CreateICmpNE(waiting, i32(0)), wait, leave);
    builder_.SetInsertPoint(wait);
    // Who has slept on the way has stopped where the program meant it to: elsewhere it may hold
    // what others need.
    when(builder_.CreateICmpULT(get(turns_), i32(has_slept)),
         [&] { suspend_region(for_others ? Status::yielded : Status::asleep, region); });
    set(turns_, i32(0));
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
  for (const BlockId place : shapes_.waiting_places(region)) {
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

}  // namespace cuvette::ptx
