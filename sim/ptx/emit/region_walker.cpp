// SPDX-License-Identifier: Apache-2.0
// How a warp walks through a kernel: blocks in order, each with the lanes that have come to it;
// lanes that go round a loop again meet at its end.
#include "sim/ptx/emit/region_walker.hpp"

#include <algorithm>

#include "sim/ptx/emit/counts.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {
namespace {

// The limit for targets of a jump by a table where lanes go different ways: each has a mask, and
// code that looks whether lanes wait there.
constexpr size_t most_targets = 8192;

}  // namespace

// --- Blocks ---

void RegionWalker::emit_block(BlockId block) {
  w_.SetInsertPoint(entries_[block]);
  w_.at.block = block;
  w_.at.mask = w_.base_mask();
  if (w_.shapes().region[block] >= 0) {
    w_.at.mask = w_.kept_mask(w_.waiting_lanes(block));
    w_.keep_mask(w_.waiting_lanes(block), llvm::Constant::getNullValue(w_.at.mask->getType()));
    w_.keep_mask(w_.block_lanes(), w_.at.mask);
  }
  const Block& here = w_.flow().blocks[block];
  walked_ = w_.shapes().region[block];
  uint32_t first = w_.at.instruction = here.first;
  if (gathers(block))
    first = gather(block);
  else
    wait_for_members(block);
  if (w_.input().request.counts) block_counter_ = count_block(w_, block);
  memory_.find_groups(block);
  const uint32_t end = here.has_terminator ? here.end - 1 : here.end;
  memory_.find_indexed(block);
  if (goes_straight(block)) {
    emit_both_ways(first, end);
  } else {
    for (w_.at.instruction = first; w_.at.instruction < end && !w_.failed(); ++w_.at.instruction)
      emit_and_tidy();
  }
  if (!w_.failed()) emit_terminator(block);
}

void RegionWalker::emit_and_tidy() {
  emit(memory_, w_.instruction());
  w_.free_arrays();
  w_.stop_unevenly();
}

void RegionWalker::emit_terminator(BlockId block) {
  const Block& here = w_.flow().blocks[block];
  const int32_t region = w_.shapes().region[block];
  const Instruction* const last =
      here.has_terminator ? &w_.body().instructions[here.end - 1] : nullptr;
  w_.at.instruction = here.end > here.first ? here.end - 1 : here.first;
  if (region < 0 && w_.shapes().opens[block] >= 0) enter_region(w_.shapes().opens[block]);
  V* const all = w_.active_mask();
  llvm::Constant* const nobody = llvm::Constant::getNullValue(all->getType());
  if (last && w_.input().request.counts) count_end(*last);

  if (last && last->opcode == Opcode::brx) {
    const Value index = w_.read(last->operands[0], Type::u32);
    const size_t targets = here.successors.size() - (last->predicate ? 1 : 0);
    if (region < 0 && index.shape.is_uniform() && !last->predicate) {
      llvm::SwitchInst* const choice =
          w_.CreateSwitch(index.scalar[0], finish_, static_cast<unsigned>(targets));
      for (size_t t = 0; t < targets; ++t) {
        llvm::BasicBlock* const way = w_.new_block("case");
        choice->addCase(w_.getInt32(static_cast<uint32_t>(t)), way);
        w_.SetInsertPoint(way);
        go(block, here.successors[t]);
      }
      return;
    }
    if (targets > most_targets)
      return w_.unsupported(*last, "lanes that go different ways have " + std::to_string(targets) +
                                       " of them here: " + std::to_string(most_targets) +
                                       " are the most that can be compiled");
    V* lanes = all;
    if (last->predicate) {
      V* p = w_.vector_of(w_.read_register(*last->predicate, Type::pred));
      if (last->predicate_negated) p = w_.CreateNot(p);
      lanes = w_.CreateAnd(all, p);
      push(here.successors.back(), w_.CreateAnd(all, w_.CreateNot(p)));
    }
    V* const vector = w_.vector_of(index);
    for (size_t t = 0; t < targets; ++t) {
      push(
          here.successors[t],
          w_.CreateAnd(lanes, w_.CreateICmpEQ(vector, w_.splat(w_.i32(static_cast<uint32_t>(t))))));
      // LLVM takes long for large blocks.
      if (t % 64 != 63) continue;
      llvm::BasicBlock* const more = w_.new_block("more");
      w_.CreateBr(more);
      w_.SetInsertPoint(more);
    }
  } else if (here.successors.size() == 1) {
    go(block, here.successors[0]);
    return;
  } else {
    const Value predicate = w_.read_register(*last->predicate, Type::pred);
    const BlockId taken = here.successors[last->predicate_negated ? 1 : 0];
    const BlockId other = here.successors[last->predicate_negated ? 0 : 1];
    if (predicate.shape.is_uniform() && region < 0) {
      llvm::BasicBlock* const one = w_.new_block("taken");
      llvm::BasicBlock* const two = w_.new_block("other");
      w_.CreateCondBr(predicate.scalar[0], one, two);
      w_.SetInsertPoint(one);
      go(block, taken);
      w_.SetInsertPoint(two);
      go(block, other);
      return;
    }
    if (predicate.shape.is_uniform()) {
      push(taken, w_.CreateSelect(predicate.scalar[0], all, nobody));
      push(other, w_.CreateSelect(predicate.scalar[0], nobody, all));
    } else {
      push(taken, w_.CreateAnd(all, predicate.vector));
      push(other, w_.CreateAnd(all, w_.CreateNot(predicate.vector)));
    }
  }
  // A branch outside of all regions opens one. Where its lanes go is not enough to know which:
  // they may meet in another one.
  const int32_t ahead = region < 0 ? w_.shapes().opens[block] : region;
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

// Counts a branch that lanes may take in different ways.
void RegionWalker::count_end(const Instruction& last) {
  if (last.opcode == Opcode::brx) {
    const Value index = w_.read(last.operands[0], Type::u32);
    if (index.shape.is_uniform() && !last.predicate)
      return count_parting(w_, last, block_counter_, nullptr);
    V* const same = w_.CreateICmpEQ(w_.vector_of(index), w_.splat(w_.first_active(index)));
    V* others = w_.CreateNot(same);
    if (last.predicate) {
      // A lane that falls through parts from those that jump.
      V* const p = w_.vector_of(w_.read_register(*last.predicate, Type::pred));
      others = w_.CreateOr(others, last.predicate_negated ? p : w_.CreateNot(p));
    }
    return count_parting(w_, last, block_counter_, w_.any(w_.CreateAnd(others, w_.active_mask())));
  }
  if (!last.predicate) return;
  const Value predicate = w_.read_register(*last.predicate, Type::pred);
  count_branch(w_, last, block_counter_,
               predicate.shape.is_uniform() ? nullptr : w_.bits_of(predicate.vector));
}

// All lanes come to a region.
void RegionWalker::enter_region(int32_t region) {
  walked_ = region;
  if (w_.flow().gathers) w_.set(w_.away(), w_.i32(0));
}

void RegionWalker::push(BlockId to, V* lanes) {
  // Lanes that leave the region wait at its end; lanes that leave the kernel are gone.
  if (w_.flow().gathers && (to == exit_block || w_.shapes().region[to] != walked_))
    w_.set(w_.away(), w_.CreateOr(w_.get(w_.away()), w_.bits_of(lanes)));
  if (to == exit_block || w_.shapes().region[to] < 0) return;
  w_.set(w_.waiting_lanes(to), w_.CreateOr(w_.get(w_.waiting_lanes(to)), w_.bits_of(lanes)));
}

void RegionWalker::go(BlockId from, BlockId to) {
  const int32_t here = w_.shapes().region[from];
  if (here >= 0) {
    push(to, w_.active_mask());
    advance(from, here);
    return;
  }
  if (to == exit_block) return finish_warp();
  if (to <= from) {
    const Loop* round = nullptr;  // the innermost around both
    w_.flow().each_loop(from, [&](const Loop& loop) {
      if (loop.contains(to)) round = &loop;
      return !round;
    });
    if (round && round->spins) {
      // All lanes wait together: other warps get a turn now and then.
      w_.when(turns_are_over(), [&] {
        w_.suspend(round->waits ? Status::yielded : Status::asleep, w_.flow().blocks[to].live_in);
      });
    }
  }
  if (w_.shapes().region[to] >= 0) {
    enter_region(w_.shapes().region[to]);
    push(to, w_.active_mask());
  }
  w_.CreateBr(entries_[to]);
}

// --- Regions ---

// Counts one more turn of a loop that spins. Once its turns are over the warp goes on through the
// rest of its region, where every other loop that spins has one turn, and stops at the end.
llvm::Value* RegionWalker::turns_are_over() {
  V* const turns = w_.CreateAdd(w_.get(w_.turns()), w_.i32(1));
  w_.set(w_.turns(), turns);
  return w_.CreateICmpUGE(turns, w_.i32(w_.input().request.turns_alone));
}

void RegionWalker::advance(BlockId from, int32_t region) {
  const std::vector<BlockId>& blocks = w_.shapes().region_blocks[static_cast<size_t>(region)];
  for (auto next = std::ranges::upper_bound(blocks, from); next != blocks.end(); ++next) {
    turn_back(from, region, *next);
    llvm::BasicBlock*& test = tests_[*next];
    const bool known = test != nullptr;
    if (!known) {
      test = w_.new_block("test" + llvm::Twine(*next));
      w_.variables().forget(test, *next);
    }
    w_.CreateBr(test);
    if (known) return;
    w_.SetInsertPoint(test);
    llvm::BasicBlock* const skip = w_.new_block("skip" + llvm::Twine(*next));
    w_.CreateCondBr(w_.CreateICmpNE(w_.get(w_.waiting_lanes(*next)), w_.i32(0)), entries_[*next],
                    skip);
    w_.SetInsertPoint(skip);
    from = *next;
  }
  turn_back(from, region, exit_block);
  leave_region(from, region);
}

// For loops that end between `from` and the next block of the region: sends the lanes that wait
// there for the next turn round again.
void RegionWalker::turn_back(BlockId from, int32_t region, BlockId next) {
  w_.flow().each_loop(from, [&](const Loop& loop) {
    if (next != exit_block && loop.contains(next)) return false;
    V* more = nullptr;  // turns before others have theirs
    std::vector<BlockId> targets = loop.next_turn;
    if (w_.shapes().turns_freely(w_.flow(), region))
      targets.insert(targets.end(), loop.meetings.begin(), loop.meetings.end());
    for (const BlockId target : targets) {
      // Gathering blocks have their turn at the end of the region.
      if (w_.shapes().region[target] != region || gathers(target)) continue;
      V* again = w_.CreateICmpNE(w_.get(w_.waiting_lanes(target)), w_.i32(0));
      if (loop.spins) {
        if (!more) more = w_.CreateNot(turns_are_over());
        again = w_.CreateAnd(again, more);
      }
      llvm::BasicBlock* const on = w_.new_block("on");
      w_.CreateCondBr(again, entries_[target], on);
      w_.SetInsertPoint(on);
    }
    return true;
  });
}

void RegionWalker::leave_region(BlockId from, int32_t region) {
  // Lanes that were left spinning, or waiting for others, have their next turn.
  V *waiting = nullptr, *spinning = nullptr;
  bool for_others = false;
  for (const BlockId place : w_.shapes().waiting_places(region)) {
    add_lanes(waiting, place);
    if (gathers(place)) continue;
    add_lanes(spinning, place);
    for_others |= w_.waits_in(place);
  }
  if (waiting) {
    llvm::BasicBlock* const wait = w_.new_block("wait");
    llvm::BasicBlock* const leave = w_.new_block("leave");
    w_.CreateCondBr(w_.CreateICmpNE(waiting, w_.i32(0)), wait, leave);
    w_.SetInsertPoint(wait);
    if (w_.flow().gathers) w_.set(w_.away(), w_.CreateAnd(w_.base_bits(), w_.CreateNot(waiting)));
    if (spinning) {
      // A warp that has slept has already stopped, where the program meant it to: anywhere else
      // it may hold something that others need.
      V* stops = w_.CreateICmpULT(w_.get(w_.turns()), w_.i32(WarpBuilder::has_slept));
      if (w_.flow().gathers) stops = w_.CreateAnd(stops, w_.CreateICmpNE(spinning, w_.i32(0)));
      w_.when(stops,
              [&] { w_.suspend_region(for_others ? Status::yielded : Status::asleep, region); });
    }
    w_.set(w_.turns(), w_.i32(0));
    resume_somewhere(region);
    w_.SetInsertPoint(leave);
  }
  const BlockId exit = w_.shapes().region_exit[static_cast<size_t>(region)];
  if (exit == exit_block) return finish_warp();
  if (w_.shapes().region[exit] >= 0) {
    enter_region(w_.shapes().region[exit]);
    V* const all = w_.base_mask();
    push(exit, all ? all : llvm::Constant::getAllOnesValue(w_.vector_type(w_.getInt1Ty())));
    walked_ = region;
  }
  w_.CreateBr(entries_[exit]);
}

// Adds the lanes that wait at `place` to `lanes`, which may be null.
void RegionWalker::add_lanes(V*& lanes, BlockId place) {
  V* const there = w_.get(w_.waiting_lanes(place));
  lanes = lanes ? w_.CreateOr(lanes, there) : there;
}

// The first place of the region where lanes wait for their turn: from there they come by all
// others.
void RegionWalker::resume_somewhere(int32_t region) {
  for (const BlockId place : w_.shapes().waiting_places(region)) {
    llvm::BasicBlock* const other = w_.new_block("other");
    w_.CreateCondBr(w_.CreateICmpNE(w_.get(w_.waiting_lanes(place)), w_.i32(0)), entries_[place],
                    other);
    w_.SetInsertPoint(other);
  }
  w_.CreateUnreachable();
}

void RegionWalker::finish_warp() { w_.CreateBr(finish_); }

}  // namespace cuvette::ptx
