// SPDX-License-Identifier: Apache-2.0
// Stops of warps that retry in vain.
//
// Warps take turns, and each stops at the end of a turn of its loop. That is the same place for all
// of them, so warps that take something, find that others have it too, and put it back never find
// it free if they stop between the two: they would retreat and return in step for ever. On a GPU
// they drift apart.
//
// So a warp that has stopped often in a loop with several atomic operations stops in other places:
// behind each of these in turn, for stretches of stops that become twice as long each time. Warps
// count their own stops; however far the counts are apart, there is a stretch that is longer, in
// which they all stop behind the same operation. Once that is the one that puts back, the next warp
// finds everything free. No clock and no chance is involved, so that runs repeat.
#include <algorithm>

#include "sim/ptx/emit/warp_builder.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {
namespace {

// Stops of a warp in the usual place, before it tries others; a power of two.
constexpr uint32_t patience_bits = 5;

bool takes_or_puts_back(const Instruction& i) {
  return i.opcode == Opcode::atom || i.opcode == Opcode::red;
}

}  // namespace

void WarpBuilder::find_retries() {
  if (!needs_frames_) return;
  struct Places {
    std::vector<uint32_t> atomics, sleeps;  // instructions
  };
  std::map<const Loop*, Places> loops;
  for (BlockId b = 0; b < flow().blocks.size(); ++b) {
    const Loop* waiting = nullptr;  // the innermost around it
    flow().each_loop(b, [&](const Loop& loop) {
      if (loop.waits) waiting = &loop;
      return !waiting;
    });
    if (!waiting) continue;
    for (uint32_t n = flow().blocks[b].first; n < flow().blocks[b].end; ++n) {
      const Instruction& i = body().instructions[n];
      if (takes_or_puts_back(i)) loops[waiting].atomics.push_back(n);
      if (i.opcode == Opcode::nanosleep) loops[waiting].sleeps.push_back(n);
    }
  }
  for (const auto& [loop, places] : loops) {
    if (places.atomics.size() < 2) continue;
    const auto count = static_cast<uint32_t>(places.atomics.size()) + 1;
    const bool sleeps = !places.sleeps.empty();
    for (const uint32_t n : places.sleeps) retries_[n] = {0, count, sleeps};
    for (uint32_t k = 1; k < count; ++k) retries_[places.atomics[k - 1]] = {k, count, sleeps};
  }
}

// Whether the warp is to stop at this place of its loop: i1.
llvm::Value* WarpBuilder::is_turn_of(const Retry& retry) {
  V* const stretch = CreateAdd(CreateLShr(get(stops_), i32(patience_bits)), i32(1));
  V* const number = CreateSub(
      i32(31), CreateIntrinsic(llvm::Intrinsic::ctlz, {getInt32Ty()}, {stretch, getFalse()}));
  return CreateICmpEQ(CreateURem(number, i32(retry.places)), i32(retry.place));
}

const WarpBuilder::Retry* WarpBuilder::retry() const {
  const auto found = retries_.find(at.instruction);
  return found == retries_.end() ? nullptr : &found->second;
}

void WarpBuilder::stop_unevenly() {
  const Retry* const here = retry();
  if (!here || here->place == 0) return;
  V* turn = getTrue();
  if (!here->sleeps) {
    // In the last turn before the warp stops anyway.
    V* const turns = get(turns_);
    turn = CreateAnd(CreateICmpUGE(turns, i32(input_.request.turns_alone - 1)),
                     CreateICmpULT(turns, i32(has_slept)));
  }
  when(
      CreateAnd(turn, is_turn_of(*here)), [&] { suspend(Status::yielded, live_behind()); }, true);
  reload_mask();
}

}  // namespace cuvette::ptx
