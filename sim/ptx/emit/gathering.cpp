// SPDX-License-Identifier: Apache-2.0
// Where lanes of a warp wait for each other: before what they do together.
//
// A lane that comes late may be in a loop that spins, or it may come by another way: where
// functions return by the number of their caller, lanes that were called together do not return
// together, and lanes that go round a loop may pass a barrier in different turns. So blocks that
// gather (Block::gathers) let lanes through only if no other lane of the region can come to such a
// block any more: the others wait at one themselves, or have left the region. Barriers come after
// other meetings, because a barrier counts every thread, wherever it stands in the text: lanes at
// several barriers arrive together, and go on together.
#include <algorithm>
#include <optional>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/region_walker.hpp"

namespace cuvette::ptx {

// Lanes that spin may come here yet: the lanes that are to meet them wait.
void RegionWalker::wait_for_members(BlockId block) {
  const Block& here = w_.flow().blocks[block];
  const int32_t region = w_.shapes().region[block];
  if (region < 0 || here.meeting == Meeting::none) return;
  V* spinning = nullptr;
  for (const BlockId place : w_.shapes().next_turns(region)) {
    bool again = false;
    w_.flow().each_loop(block, [&](const Loop& loop) { return !(again = loop.contains(place)); });
    // Lanes waiting past this block have been here and return only through a loop that contains
    // both.
    if (place < block || again) add_lanes(spinning, place);
  }
  if (spinning) hold_back(block, spinning);
}

// Lanes that are to meet any of `late` wait at the block for their turn.
void RegionWalker::hold_back(BlockId block, V* late) {
  const Block& here = w_.flow().blocks[block];
  llvm::BasicBlock* const missing = w_.new_block("missing");
  llvm::BasicBlock* const wait = w_.new_block("wait");
  llvm::BasicBlock* const together = w_.new_block("together");
  w_.unlikely(w_.CreateCondBr(w_.CreateICmpNE(late, w_.i32(0)), missing, together));
  w_.SetInsertPoint(missing);
  V* waiting = w_.at.mask;
  if (here.meeting == Meeting::members) {
    V* const members =
        w_.read_vector(w_.body().instructions[here.first].operands.back(), Type::b32);
    V* const missed = w_.CreateAnd(members, w_.splat(late));
    waiting = w_.CreateAnd(
        w_.at.mask, w_.CreateICmpNE(missed, llvm::Constant::getNullValue(missed->getType())));
  }
  push(block, waiting);
  V* const rest = w_.CreateAnd(w_.at.mask, w_.CreateNot(waiting));
  w_.keep_mask(w_.block_lanes(), rest);
  w_.CreateCondBr(w_.any(rest), together, wait);
  w_.SetInsertPoint(wait);
  advance(block, w_.shapes().region[block]);
  w_.SetInsertPoint(together);
  w_.at.mask = w_.kept_mask(w_.block_lanes());
}

bool RegionWalker::gathers(BlockId block) const {
  return w_.flow().blocks[block].gathers && w_.shapes().region[block] >= 0;
}

// Blocks of the region that begin with such a barrier.
std::vector<BlockId> RegionWalker::barriers_of(int32_t region) const {
  std::vector<BlockId> result;
  for (const BlockId b : w_.shapes().region_blocks[static_cast<size_t>(region)])
    if (gathers(b) && is_barrier_of_block(w_.body().instructions[w_.flow().blocks[b].first]))
      result.push_back(b);
  return result;
}

// Waits for all lanes that may come to where lanes meet.
void RegionWalker::wait_for_late(BlockId block) {
  const int32_t region = w_.shapes().region[block];
  V* const here = w_.bits_of(w_.at.mask);
  V* const rest = w_.CreateAnd(w_.base_bits(), w_.CreateNot(w_.CreateOr(w_.get(w_.away()), here)));
  llvm::BasicBlock* const some = w_.new_block("elsewhere");
  llvm::BasicBlock* const all = w_.new_block("gathered");
  w_.CreateCondBr(w_.CreateICmpNE(rest, w_.i32(0)), some, all);
  w_.SetInsertPoint(some);
  V* waiting = nullptr;
  if (is_barrier_of_block(w_.instruction())) {
    for (const BlockId b : barriers_of(region)) add_lanes(waiting, b);
  } else {
    for (const BlockId b : w_.shapes().region_blocks[static_cast<size_t>(region)])
      if (gathers(b)) add_lanes(waiting, b);
  }
  // Lanes that may go on from their barrier are yet to come to the next.
  waiting = w_.CreateAnd(waiting, w_.CreateNot(w_.get(w_.passed())));
  hold_back(block, w_.CreateAnd(rest, w_.CreateNot(waiting)));
  w_.CreateBr(all);
  w_.SetInsertPoint(all);
  w_.at.mask = w_.kept_mask(w_.block_lanes());
}

namespace {

// Barriers have to agree in this if lanes are to arrive at them together.
struct BarrierForm {
  uint32_t number = 0, threads = 0;
  Modifier reduction = dot::sync;
  bool operator==(const BarrierForm&) const = default;
};

// Nothing where a register says which barrier it is, or for how many threads.
std::optional<BarrierForm> form_of(const Instruction& i) {
  if (!is_barrier_of_block(i)) return {};
  BarrierForm form;
  if (i.has(dot::red))
    form.reduction = i.has(dot::popc) ? dot::popc : i.has(dot::and_) ? dot::and_ : dot::or_;
  // A reduction's result stands before these, and its predicate behind them.
  const size_t first = i.has(dot::red) ? 1 : 0, end = i.operands.size() - first;
  for (size_t n = first; n < end; ++n) {
    if (i.operands[n].kind != Operand::Kind::immediate) return {};
    (n == first ? form.number : form.threads) = static_cast<uint32_t>(i.operands[n].bits);
  }
  return form;
}

}  // namespace

// Other barriers of the region at which the warp arrives together with this one's lanes. A check
// is to see each arrival.
std::vector<BlockId> RegionWalker::barriers_like(BlockId block) const {
  const auto form = [&](BlockId b) {
    return form_of(w_.body().instructions[w_.flow().blocks[b].first]);
  };
  std::vector<BlockId> result;
  if (w_.input().request.watch || !form(block)) return result;
  for (const BlockId b : barriers_of(w_.shapes().region[block]))
    if (b != block && form(b) == form(block)) result.push_back(b);
  return result;
}

// Arrives at a barrier for its lanes and for the lanes that wait at the others.
void RegionWalker::arrive_for_all(BlockId block, const std::vector<BlockId>& others) {
  const Instruction& here = w_.body().instructions[w_.flow().blocks[block].first];
  for (const BlockId b : others) {
    add_lanes(w_.joining.lanes, b);
    if (!here.has(dot::red)) continue;
    const Operand& predicate = w_.body().instructions[w_.flow().blocks[b].first].operands.back();
    V* const holds = w_.CreateAnd(w_.bits_of(w_.vector_of(w_.read(predicate, Type::pred))),
                                  w_.get(w_.waiting_lanes(b)));
    w_.joining.holds = w_.joining.holds ? w_.CreateOr(w_.joining.holds, holds) : holds;
  }
  emit_and_tidy();
  w_.joining = {};
}

// Emits the beginning of a block that gathers. Returns the instruction after it.
uint32_t RegionWalker::gather(BlockId block) {
  const uint32_t first = w_.flow().blocks[block].first;
  const std::vector<BlockId> others = barriers_like(block);
  if (others.empty()) {
    wait_for_late(block);
    return first;
  }
  llvm::BasicBlock* const go_on = w_.new_block("arrived");
  llvm::BasicBlock* const arrive = w_.new_block("arrive");
  llvm::BasicBlock* const behind = w_.new_block("behind");
  V* const here = w_.bits_of(w_.at.mask);
  V* const passed = w_.get(w_.passed());
  V* const through = w_.CreateAnd(here, passed);
  w_.CreateCondBr(w_.CreateICmpNE(through, w_.i32(0)), go_on, arrive);
  // The warp has arrived for these at another barrier, which was completed.
  w_.SetInsertPoint(go_on);
  w_.set(w_.passed(), w_.CreateAnd(passed, w_.CreateNot(through)));
  w_.set(w_.waiting_lanes(block), w_.CreateAnd(here, w_.CreateNot(through)));
  w_.set(w_.block_lanes(), through);
  if (w_.instruction().has(dot::red)) {
    w_.at.mask = w_.kept_mask(w_.block_lanes());
    write_reduced(w_, w_.instruction(), w_.get(w_.reduced()));
  }
  w_.CreateBr(behind);
  w_.SetInsertPoint(arrive);
  w_.at.mask = w_.kept_mask(w_.block_lanes());
  wait_for_late(block);
  arrive_for_all(block, others);
  V* with = nullptr;
  for (const BlockId b : others) add_lanes(with, b);
  w_.set(w_.passed(), w_.CreateOr(w_.get(w_.passed()), with));
  w_.CreateBr(behind);
  w_.SetInsertPoint(behind);
  w_.at.mask = w_.kept_mask(w_.block_lanes());
  return first + 1;
}

}  // namespace cuvette::ptx
