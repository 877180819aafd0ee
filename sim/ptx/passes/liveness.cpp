// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/liveness.hpp"

#include <cstddef>
#include <utility>

namespace cuvette::ptx {

// Register by register, from where it is read backwards to where it is written: that takes as long
// as the answer is large.
void find_liveness(const Body& body, std::vector<Block>& blocks) {
  const size_t count = body.registers.size();
  // Blocks that read a register before they write it, and blocks that write it.
  std::vector<std::vector<BlockId>> readers(count), writers(count);
  std::vector<uint32_t> registers;
  const auto add = [](std::vector<BlockId>& to, BlockId b) {
    if (to.empty() || to.back() != b) to.push_back(b);
  };
  for (BlockId b = 0; b < blocks.size(); ++b)
    for (uint32_t i = blocks[b].first; i < blocks[b].end; ++i) {
      registers.clear();
      Flow::read(body.instructions[i], registers);
      for (const uint32_t r : registers)
        if (writers[r].empty() || writers[r].back() != b) add(readers[r], b);
      registers.clear();
      Flow::written(body.instructions[i], registers);
      for (const uint32_t r : registers) add(writers[r], b);
    }
  // The last register, plus one, that a block writes or that is live-in or live-out there.
  std::vector<uint32_t> writes(blocks.size()), in(blocks.size()), out(blocks.size());
  std::vector<BlockId> work;
  for (uint32_t r = 0; r < count; ++r) {
    for (const BlockId b : writers[r]) writes[b] = r + 1;
    const auto live_at = [&](BlockId b) {
      if (in[b] == r + 1) return;
      in[b] = r + 1;
      blocks[b].live_in.insert(r);
      work.push_back(b);
    };
    for (const BlockId b : readers[r]) live_at(b);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (const BlockId from : blocks[b].predecessors) {
        if (out[from] == r + 1) continue;
        out[from] = r + 1;
        blocks[from].live_out.insert(r);
        if (writes[from] != r + 1) live_at(from);
      }
    }
  }
}

// Cooper, Harvey and Kennedy's iteration on the reversed graph.
void find_post_dominators(std::vector<Block>& blocks) {
  const size_t count = blocks.size(), exit = count;
  std::vector<std::vector<uint32_t>> next(count + 1), previous(count + 1);
  std::vector<bool> reaches(count + 1);
  const auto add_edge = [&](size_t from, size_t to) {
    next[from].push_back(static_cast<uint32_t>(to));
    previous[to].push_back(static_cast<uint32_t>(from));
  };
  for (size_t b = 0; b < count; ++b)
    for (const BlockId successor : blocks[b].successors)
      add_edge(b, successor == exit_block ? exit : successor);
  const auto mark = [&](size_t from) {
    std::vector<size_t> work{from};
    reaches[from] = true;
    while (!work.empty()) {
      const size_t block = work.back();
      work.pop_back();
      for (const uint32_t p : previous[block])
        if (!reaches[p]) {
          reaches[p] = true;
          work.push_back(p);
        }
    }
  };
  mark(exit);
  for (size_t b = count; b-- > 0;)
    if (!reaches[b]) {
      add_edge(b, exit);
      mark(b);
    }
  // Post-order of the reversed graph from its entry, the exit.
  std::vector<uint32_t> number(count + 1, UINT32_MAX), sequence;
  std::vector<std::pair<uint32_t, size_t>> frames{{static_cast<uint32_t>(exit), 0}};
  std::vector<bool> seen(count + 1);
  seen[exit] = true;
  while (!frames.empty()) {
    auto& [block, at] = frames.back();
    if (at < previous[block].size()) {
      const uint32_t p = previous[block][at++];
      if (!seen[p]) {
        seen[p] = true;
        frames.emplace_back(p, 0);
      }
      continue;
    }
    number[block] = static_cast<uint32_t>(sequence.size());
    sequence.push_back(block);
    frames.pop_back();
  }
  std::vector<uint32_t> dominator(count + 1, UINT32_MAX);
  dominator[exit] = static_cast<uint32_t>(exit);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = sequence.size(); i-- > 0;) {
      const uint32_t block = sequence[i];
      if (block == exit) continue;
      uint32_t common = UINT32_MAX;
      for (uint32_t successor : next[block]) {
        if (dominator[successor] == UINT32_MAX) continue;
        if (common == UINT32_MAX) {
          common = successor;
          continue;
        }
        while (common != successor) {
          while (number[common] < number[successor]) common = dominator[common];
          while (number[successor] < number[common]) successor = dominator[successor];
        }
      }
      if (dominator[block] != common) {
        dominator[block] = common;
        changed = true;
      }
    }
  }
  for (size_t b = 0; b < count; ++b)
    blocks[b].post_dominator = dominator[b] == exit || dominator[b] == UINT32_MAX
                                   ? exit_block
                                   : static_cast<BlockId>(dominator[b]);
}

}  // namespace cuvette::ptx
