// SPDX-License-Identifier: Apache-2.0
// The variables of a kernel: registers, and the masks of lanes that wait at blocks; and where
// somebody needs them.
#include <algorithm>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

void Emitter::make_variables() {
  llvm::Type* const word = builder_.getInt32Ty();
  const auto registers = static_cast<uint32_t>(body_.registers.size());
  for (uint32_t r = 0; r < registers; ++r) {
    Slot& slot = slots_.emplace_back();
    llvm::Type* const type = element_of_register(r);
    const Shape& shape = shapes_.registers[r];
    if (shape.is_varying()) {
      slot.vector =
          variables_.make(type->isIntegerTy(1) && decides(r) ? word : vector_type(type), r);
      continue;
    }
    for (int half = 0; half < (shape.linear ? 1 : 2); ++half) {
      slot.scalar[half] = variables_.make(type, r);
      if (!shape.stepped) continue;
      slot.step[half] = variables_.make(type, r);
      slot.step_lane[half] = variables_.make(word, r);
    }
  }
  masks_.resize(flow_.blocks.size(), Variables::none);
  for (BlockId b = 0; b < flow_.blocks.size(); ++b)
    if (shapes_.region[b] >= 0) masks_[b] = variables_.make(word, registers + b);
  block_mask_ = variables_.make(word);
  carry_ = variables_.make(vector_type(builder_.getInt1Ty()));
  turns_ = variables_.make(word);
}

// Which registers and masks are needed at the beginning of each block: by lanes that have come
// there (needed_), and by those that wait elsewhere at that time (both). Outside of regions nobody
// waits. In a region lanes wait at a block from the branch that sent them there until it is their
// turn: meanwhile the warp runs the blocks between the two, and again and again those of a loop
// that they have left.
void Emitter::find_needed() {
  const size_t registers = body_.registers.size(), count = flow_.blocks.size();
  needed_.assign(count, BitSet(registers + count));
  waiting_ = needed_;
  std::map<int32_t, std::vector<BlockId>> regions;
  for (BlockId b = 0; b < count; ++b) {
    needed_[b].insert_all(flow_.blocks[b].live_in);
    if (shapes_.region[b] < 0) continue;
    needed_[b].insert(registers + b);
    regions[shapes_.region[b]].push_back(b);
  }
  for (const auto& [region, blocks] : regions) {
    const auto here = [&, region = region](BlockId b) {
      return b != exit_block && shapes_.region[b] == region;
    };
    const bool spins = [&] {
      for (size_t l = 0; l < flow_.loops.size(); ++l)
        for (const BlockId target : flow_.loops[l].back_targets)
          if (shapes_.spins[l] && here(target)) return true;
      return flow_.irreducible;
    }();
    // Lanes wait at `target` while the warp is between `first` and `last`.
    const auto wait = [&, &blocks = blocks](BlockId target, BlockId first, BlockId last) {
      for (auto b = std::lower_bound(blocks.begin(), blocks.end(), first);
           b != blocks.end() && *b <= last; ++b) {
        // Its own lanes are no longer waiting, but in loops that wait for others.
        BitSet& set = *b == target && !spins ? needed_[*b] : waiting_[*b];
        set.insert_all(flow_.blocks[target].live_in);
        if (here(target)) set.insert(registers + target);
      }
    };
    // From the first block on where lanes can wait that have left `from` for `to`.
    const auto since = [&](BlockId from, BlockId to) {
      BlockId first = from + 1;
      for (const Loop& loop : flow_.loops)
        if (loop.contains(from) && !loop.contains(to)) first = std::min(first, loop.first);
      return first;
    };
    std::map<BlockId, BlockId> outside;  // where lanes go that leave, and since when
    for (const BlockId b : blocks) {
      BlockId first = b;
      for (const BlockId from : flow_.blocks[b].predecessors) {
        if (spins || (!here(from) && from > b)) {
          wait(b, blocks.front(), blocks.back());
        } else if (!here(from)) {
          first = blocks.front();
        } else if (from < b) {
          first = std::min(first, since(from, b));
        } else {
          // To the end of the innermost loop around both.
          BlockId last = from;
          for (const Loop& loop : flow_.loops)
            if (loop.contains(from) && loop.contains(b)) last = loop.last;
          wait(b, since(from, b), last);
        }
      }
      wait(b, first, b);
      for (const BlockId to : flow_.blocks[b].successors)
        if (to != exit_block && !here(to)) {
          const BlockId left = spins ? blocks.front() : since(b, to);
          const auto [known, is_new] = outside.try_emplace(to, left);
          if (!is_new) known->second = std::min(known->second, left);
        }
    }
    // Those that never enter the region wait at its end, too.
    for (const auto& [to, first] : outside) {
      const auto& from = flow_.blocks[to].predecessors;
      const bool all = std::all_of(from.begin(), from.end(), here);
      wait(to, all ? first : blocks.front(), blocks.back());
    }
    for (const BlockId b : blocks) needed_[b].insert_all(waiting_[b]);
  }
}

}  // namespace cuvette::ptx
