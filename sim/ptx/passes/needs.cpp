// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/needs.hpp"

#include <algorithm>
#include <map>

namespace cuvette::ptx {

Needs::Needs(const Body& body, const Flow& flow, const Regions& regions)
    : flow_(&flow),
      regions_(&regions),
      registers_(static_cast<uint32_t>(body.registers.size())),
      place_(flow.blocks.size()),
      runs_(body.registers.size() + flow.blocks.size()) {
  for (const std::vector<BlockId>& blocks : regions.region_blocks)
    for (const BlockId b : blocks) {
      place_[b] = static_cast<uint32_t>(blocks_.size());
      blocks_.push_back(b);
    }
  for (size_t region = 0; region < regions.region_blocks.size(); ++region)
    find_in(static_cast<int32_t>(region));
  for (uint32_t key = 0; key < runs_.size(); ++key)
    if (!runs_[key].empty()) kept_.push_back(key);
}

void Needs::insert(std::vector<Run>& runs, Run run) {
  if (runs.empty() || run.first > runs.back().last + 1) {
    runs.push_back(run);
    return;
  }
  // Runs that touch it are merged with it.
  const auto begin =
      std::ranges::lower_bound(runs, run.first, {}, [](const Run& one) { return one.last + 1; });
  auto end = begin;
  for (; end != runs.end() && end->first <= run.last + 1; ++end) {
    run.first = std::min(run.first, end->first);
    run.last = std::max(run.last, end->last);
  }
  if (begin == end) {
    runs.insert(begin, run);
    return;
  }
  *begin = run;
  runs.erase(begin + 1, end);
}

void Needs::find_in(int32_t region) {
  const std::vector<BlockId>& blocks = regions_->region_blocks[static_cast<size_t>(region)];
  const auto here = [&](BlockId b) { return b != exit_block && regions_->region[b] == region; };
  const bool spins = regions_->turns_freely(*flow_, region);
  // Where lanes may wait at any time, regardless of the others.
  const std::vector<BlockId> spinning = spins ? regions_->waiting_places(region) : blocks;
  const auto always = [&](BlockId b) {
    if (flow_->irreducible) return true;
    return spins &&
           (flow_->blocks[b].meeting != Meeting::none || std::ranges::binary_search(spinning, b));
  };
  // Where the warp may be while lanes wait at one target.
  std::vector<Run> runs;
  // Lanes wait at `target` while the warp is between `first` and `last`.
  const auto wait = [&](BlockId target, BlockId first, BlockId last) {
    const auto begin = std::ranges::lower_bound(blocks, first);
    const auto end = std::ranges::upper_bound(blocks, last);
    if (begin >= end) return;
    const Run run{place_[*begin], place_[*(end - 1)]};
    const uint32_t own = place_[target];
    if (!here(target) || always(target) || own < run.first || own > run.last)
      return insert(runs, run);
    // While the target itself runs, none of its lanes waits any more.
    if (own > run.first) insert(runs, {run.first, own - 1});
    if (own < run.last) insert(runs, {own + 1, run.last});
  };
  const auto keep = [&](BlockId target) {
    if (runs.empty()) return;
    const auto key = [&](uint32_t one) {
      for (const Run& run : runs) insert(runs_[one], run);
    };
    flow_->blocks[target].live_in.each(key);
    if (here(target)) key(registers_ + target);
    runs.clear();
  };
  // From the first block on where lanes can wait that have left `from` for `to`.
  const auto since = [&](BlockId from, BlockId to) {
    BlockId first = from + 1;
    flow_->each_loop(from, [&](const Loop& loop) {
      if (loop.contains(to)) return false;
      first = loop.first;
      return true;
    });
    return first;
  };
  std::map<BlockId, BlockId> outside;  // where lanes go that leave, and since when
  for (const BlockId b : blocks) {
    BlockId first = b;
    for (const BlockId from : flow_->blocks[b].predecessors) {
      if (always(b) || (!here(from) && from > b)) {
        wait(b, blocks.front(), blocks.back());
      } else if (!here(from)) {
        first = blocks.front();
      } else if (from < b) {
        first = std::min(first, since(from, b));
      } else {
        // To the end of the innermost loop around both.
        BlockId last = from;
        flow_->each_loop(from, [&](const Loop& loop) {
          if (!loop.contains(b)) return true;
          last = loop.last;
          return false;
        });
        wait(b, since(from, b), last);
      }
    }
    wait(b, first, b);
    keep(b);
    for (const BlockId to : flow_->blocks[b].successors)
      if (to != exit_block && !here(to)) {
        const BlockId left = spins ? blocks.front() : since(b, to);
        const auto [known, is_new] = outside.try_emplace(to, left);
        if (!is_new) known->second = std::min(known->second, left);
      }
  }
  // Lanes that never enter the region wait at its end, too.
  for (const auto& [to, first] : outside) {
    const auto& from = flow_->blocks[to].predecessors;
    const bool all = std::all_of(from.begin(), from.end(), here);
    wait(to, all ? first : blocks.front(), blocks.back());
    keep(to);
  }
}

bool Needs::waits(BlockId block, uint32_t key) const {
  if (regions_->region[block] < 0) return false;
  const std::vector<Run>& runs = runs_[key];
  const uint32_t place = place_[block];
  const auto found = std::ranges::lower_bound(runs, place, {}, &Run::last);
  return found != runs.end() && found->first <= place;
}

bool Needs::needed(BlockId block, uint32_t key) const {
  return (key < registers_ ? flow_->blocks[block].live_in.contains(key)
                           : key - registers_ == block && regions_->region[block] >= 0) ||
         waits(block, key);
}

BitSet Needs::waiting(BlockId block) const {
  BitSet result;
  if (regions_->region[block] < 0) return result;
  for (const uint32_t key : kept_)
    if (waits(block, key)) result.insert(key);
  return result;
}

BitSet Needs::needed(BlockId block) const {
  BitSet result = waiting(block);
  result.insert_all(flow_->blocks[block].live_in);
  if (regions_->region[block] >= 0) result.insert(registers_ + block);
  return result;
}

}  // namespace cuvette::ptx
