// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/needs.hpp"

#include <algorithm>
#include <map>

namespace cuvette::ptx {

Needs find_needs(const Body& body, const Flow& flow, const Shapes& shapes) {
  const size_t registers = body.registers.size(), count = flow.blocks.size();
  Needs result;
  result.needed.assign(count, BitSet(registers + count));
  result.waiting = result.needed;
  std::map<int32_t, std::vector<BlockId>> regions;
  for (BlockId b = 0; b < count; ++b) {
    result.needed[b].insert_all(flow.blocks[b].live_in);
    if (shapes.region[b] < 0) continue;
    result.needed[b].insert(registers + b);
    regions[shapes.region[b]].push_back(b);
  }
  for (const auto& [region, blocks] : regions) {
    const auto here = [&, region = region](BlockId b) {
      return b != exit_block && shapes.region[b] == region;
    };
    const bool spins = shapes.turns_freely(flow, region);
    // Where lanes may wait at any time, whatever the others do.
    BitSet always(count);
    if (flow.irreducible) {
      for (const BlockId b : blocks) always.insert(b);
    } else if (spins) {
      for (const BlockId b : shapes.waiting_places(flow, region)) always.insert(b);
      for (const BlockId b : blocks)
        if (flow.blocks[b].meeting != Meeting::none) always.insert(b);
    }
    // Lanes wait at `target` while the warp is between `first` and `last`.
    const auto wait = [&, &blocks = blocks](BlockId target, BlockId first, BlockId last) {
      for (auto b = std::lower_bound(blocks.begin(), blocks.end(), first);
           b != blocks.end() && *b <= last; ++b) {
        // Its own lanes are no longer waiting, unless some of them stay.
        const bool own = *b == target && !always.contains(target);
        BitSet& set = own ? result.needed[*b] : result.waiting[*b];
        set.insert_all(flow.blocks[target].live_in);
        if (here(target)) set.insert(registers + target);
      }
    };
    // From the first block on where lanes can wait that have left `from` for `to`.
    const auto since = [&](BlockId from, BlockId to) {
      BlockId first = from + 1;
      for (const Loop& loop : flow.loops)
        if (loop.contains(from) && !loop.contains(to)) first = std::min(first, loop.first);
      return first;
    };
    std::map<BlockId, BlockId> outside;  // where lanes go that leave, and since when
    for (const BlockId b : blocks) {
      BlockId first = b;
      for (const BlockId from : flow.blocks[b].predecessors) {
        if (always.contains(b) || (!here(from) && from > b)) {
          wait(b, blocks.front(), blocks.back());
        } else if (!here(from)) {
          first = blocks.front();
        } else if (from < b) {
          first = std::min(first, since(from, b));
        } else {
          // To the end of the innermost loop around both.
          BlockId last = from;
          for (const Loop& loop : flow.loops)
            if (loop.contains(from) && loop.contains(b)) last = loop.last;
          wait(b, since(from, b), last);
        }
      }
      wait(b, first, b);
      for (const BlockId to : flow.blocks[b].successors)
        if (to != exit_block && !here(to)) {
          const BlockId left = spins ? blocks.front() : since(b, to);
          const auto [known, is_new] = outside.try_emplace(to, left);
          if (!is_new) known->second = std::min(known->second, left);
        }
    }
    // Those that never enter the region wait at its end, too.
    for (const auto& [to, first] : outside) {
      const auto& from = flow.blocks[to].predecessors;
      const bool all = std::all_of(from.begin(), from.end(), here);
      wait(to, all ? first : blocks.front(), blocks.back());
    }
    for (const BlockId b : blocks) result.needed[b].insert_all(result.waiting[b]);
  }
  return result;
}

}  // namespace cuvette::ptx
