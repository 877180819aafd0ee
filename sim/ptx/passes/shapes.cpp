// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/shapes.hpp"

#include <algorithm>
#include <set>

#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/passes/needs.hpp"

namespace cuvette::ptx {
namespace {

class ShapeFinder {
 public:
  ShapeFinder(const Body& body, const Flow& flow, const BlockClass& block_class, Shapes& result)
      : body_(body), flow_(flow), rules_(body, block_class, result), result_(result) {}

  void run() {
    const size_t count = body_.registers.size();
    result_.definitions.assign(count, 0);
    result_.definition.assign(count, UINT32_MAX);
    defining_blocks_.assign(count, {});
    std::vector<uint32_t> registers;
    for (BlockId b = 0; b < flow_.blocks.size(); ++b)
      for (uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        registers.clear();
        Flow::written(body_.instructions[i], registers);
        for (const uint32_t r : registers) {
          ++result_.definitions[r];
          result_.definition[r] = i;
          if (defining_blocks_[r].empty() || defining_blocks_[r].back() != b)
            defining_blocks_[r].push_back(b);
        }
      }
    find_readers();
    result_.registers.assign(count, Shape{});
    propagate();
    // A register that is computed only from itself has got no shape. A register that nothing writes
    // is uniform.
    for (uint32_t r = 0; r < count; ++r)
      if (result_.registers[r].kind == Shape::Kind::none)
        become(r, result_.definitions[r] > 0 ? Shape::varying() : Shape::uniform());
    for (uint32_t round = 0;; ++round) {
      propagate_and_part();
      number_regions();
      if (!force_where_others_wait(round > most_rounds)) break;
    }
  }

 private:
  // --- Shapes of values ---

  // Finds which instructions, by place in the order of the blocks, and which branches have to be
  // looked at again when a register's shape changes.
  void find_readers() {
    readers_.assign(body_.registers.size(), {});
    branches_.assign(body_.registers.size(), {});
    std::vector<uint32_t> registers;
    for (BlockId b = 0; b < flow_.blocks.size(); ++b) {
      const Block& block = flow_.blocks[b];
      for (uint32_t i = block.first; i < block.end; ++i) {
        registers.clear();
        Flow::written(body_.instructions[i], registers);
        if (registers.empty()) continue;
        registers.clear();
        Flow::read(body_.instructions[i], registers);
        for (const uint32_t r : registers)
          readers_[r].push_back(static_cast<uint32_t>(sequence_.size()));
        sequence_.push_back(i);
      }
      if (!block.has_terminator || block.successors.size() < 2) continue;
      registers.clear();
      Flow::read(body_.instructions[block.end - 1], registers);
      for (const uint32_t r : registers) branches_[r].push_back(b);
      pending_.push_back(b);
    }
    dirty_.assign((sequence_.size() + 63) / 64, UINT64_MAX);
    if (sequence_.size() % 64) dirty_.back() = (uint64_t{1} << (sequence_.size() % 64)) - 1;
  }

  void become(uint32_t r, const Shape& shape) {
    if (shape == result_.registers[r]) return;
    result_.registers[r] = shape;
    for (const uint32_t at : readers_[r]) dirty_[at / 64] |= uint64_t{1} << (at % 64);
    pending_.insert(pending_.end(), branches_[r].begin(), branches_[r].end());
  }

  void propagate() {
    std::vector<uint32_t> registers;
    for (bool any = true; any;) {
      any = false;
      for (size_t word = 0; word < dirty_.size(); ++word)
        while (dirty_[word]) {
          any = true;
          const auto bit = static_cast<size_t>(__builtin_ctzll(dirty_[word]));
          dirty_[word] &= dirty_[word] - 1;
          const Instruction& instruction = body_.instructions[sequence_[64 * word + bit]];
          Shape shape = rules_.shape_of(instruction);
          if (instruction.predicate) {
            const Shape& predicate = result_.registers[*instruction.predicate];
            if (predicate.is_varying()) shape = Shape::varying();
          }
          if (shape.kind == Shape::Kind::none) continue;
          registers.clear();
          Flow::written(instruction, registers);
          for (const uint32_t r : registers)
            become(r, join(result_.registers[r], rules_.narrowed(shape, r)));
        }
    }
  }

  // --- Divergence ---

  // Returns where all lanes that go on after `block` are together again, possibly without spinning
  // ones.
  BlockId gathering(BlockId block) const {
    while (block != exit_block && flow_.blocks[block].meeting != Meeting::all)
      block = flow_.blocks[block].post_dominator;
    return block;
  }

  bool branches_apart(const Block& block) const {
    if (!block.has_terminator || block.successors.size() < 2) return false;
    const Instruction& last = body_.instructions[block.end - 1];
    if (last.predicate && !result_.registers[*last.predicate].is_uniform()) return true;
    return last.opcode == Opcode::brx && !rules_.shape_of(last.operands[0]).is_uniform();
  }

  // Repeats until no shape changes and no further branch parts lanes.
  void propagate_and_part() {
    if (mixed_.empty()) find_mixed();
    for (;;) {
      propagate();
      if (pending_.empty()) return;
      std::vector<BlockId> pending;
      pending.swap(pending_);
      for (const BlockId b : pending) {
        if (everywhere_ || apart_[b] || !branches_apart(flow_.blocks[b])) continue;
        if (visits_ < most_visits())
          part(b);
        else
          part_everywhere();
      }
    }
  }

  // Finds registers with values that may depend on the path taken.
  void find_mixed() {
    const size_t count = flow_.blocks.size();
    apart_.assign(count, false);
    exits_done_.assign(flow_.loops.size(), false);
    inside_.assign(count, exit_block);
    label_.assign(count, {});
    round_.assign(count, {});
    parent_.resize(count);
    in_region_.assign(count, false);
    writer_.assign(body_.registers.size(), exit_block);
    mixed_.resize(count);
    mixed_writes_.resize(count);
    for (BlockId b = 0; b < count; ++b) {
      parent_[b] = b;
      flow_.blocks[b].live_in.each([&](uint32_t r) {
        if (result_.definitions[r] > 1) mixed_[b].push_back(r);
      });
    }
    for (uint32_t r = 0; r < body_.registers.size(); ++r)
      if (result_.definitions[r] > 1)
        for (const BlockId b : defining_blocks_[r]) mixed_writes_[b].push_back(r);
  }

  // Notes that lanes take different paths after `b`.
  void part(BlockId b) {
    apart_[b] = true;
    BlockId meet = flow_.blocks[b].post_dominator;
    std::vector<BlockId> region = reach(b, meet);
    // Lanes that have left, or passed by, a loop in which others wait for them must be able to go
    // on.
    std::vector<const Loop*> around;
    flow_.each_loop(b, [&](const Loop& loop) {
      around.push_back(&loop);
      return true;
    });
    const auto leaves = [&](const Loop& loop) {
      return meet == exit_block || !loop.contains(meet);
    };
    const auto lets_go_on = [&](const Loop& loop) { return loop.spins && leaves(loop); };
    if (meet != exit_block &&
        (std::ranges::any_of(around, [&](const Loop* loop) { return lets_go_on(*loop); }) ||
         std::ranges::any_of(region, [&](BlockId block) { return any_loop(block, lets_go_on); }))) {
      for (const BlockId block : region) inside_[block] = exit_block;
      meet = gathering(meet);
      region = reach(b, meet);
    }
    if (flow_.gathers_far && meet != exit_block &&
        std::ranges::any_of(region, [&](BlockId block) { return flow_.blocks[block].gathers; })) {
      for (const BlockId block : region) inside_[block] = exit_block;
      meet = exit_block;
      region = reach(b, meet);
    }
    for (const Loop* const loop : around)
      if (leaves(*loop)) force_at_exits(*loop);
    for (const BlockId block : region) in_region_[block] = true;
    for (size_t n = 1; n < region.size(); ++n) parent_[root(region[n])] = root(region[0]);
    groups_.push_back({b, region.empty() ? exit_block : region[0], meet});
    force_at_joins(b, meet, region);
  }

  template <typename F>
  bool any_loop(BlockId block, const F& f) const {
    bool found = false;
    flow_.each_loop(block, [&](const Loop& loop) { return !(found = f(loop)); });
    return found;
  }

  // Visiting the region of each branch takes quadratic time where the regions overlap. This gives
  // up precision instead: lanes may be anywhere, and registers with several definitions are
  // varying.
  void part_everywhere() {
    everywhere_ = true;
    in_region_.assign(flow_.blocks.size(), true);
    parent_.assign(flow_.blocks.size(), 0);
    groups_ = {{0, 0, exit_block}};
    for (const Loop& loop : flow_.loops) force_at_exits(loop);
    for (const std::vector<uint32_t>& registers : mixed_)
      for (const uint32_t r : registers) become(r, Shape::varying());
  }

  BlockId root(BlockId block) {
    while (parent_[block] != block) block = parent_[block] = parent_[parent_[block]];
    return block;
  }

  std::vector<BlockId> reach(BlockId branch, BlockId stop) {
    std::vector<BlockId> region;
    const auto visit = [&](const Block& block) {
      for (const BlockId next : block.successors)
        if (next != exit_block && next != stop && inside_[next] != branch) {
          inside_[next] = branch;
          region.push_back(next);
        }
    };
    visit(flow_.blocks[branch]);
    for (size_t n = 0; n < region.size(); ++n) visit(flow_.blocks[region[n]]);
    std::sort(region.begin(), region.end());
    visits_ += region.size();
    return region;
  }

  // Makes registers varying where lanes that took different paths meet and one of the paths wrote
  // them.
  void force_at_joins(BlockId branch, BlockId meet, const std::vector<BlockId>& region) {
    std::vector<BlockId> joins;
    const auto label = [&](BlockId block) -> uint32_t& { return at(label_, block, branch); };
    const auto give = [&](BlockId block, uint32_t one) {
      if (label(block) == exit_block) {
        label(block) = one;
      } else if (label(block) != one) {
        joins.push_back(block);
        label(block) = block;
      }
    };
    // A label is the block at which a path begins.
    std::set<BlockId> targets;
    for (const BlockId next : flow_.blocks[branch].successors)
      if (next != exit_block) targets.insert(next);
    for (const BlockId target : targets) give(target, target);
    // At the branch itself, in a later iteration, lanes part anew.
    for (const BlockId block : region) {
      if (label(block) == exit_block || block == branch) continue;
      for (const BlockId next : flow_.blocks[block].successors)
        if (next != exit_block && next > block) {
          // The first block of a path keeps its own label, even if another path leads there.
          if (targets.contains(next) && label(next) == next && label(block) != next)
            joins.push_back(next);
          else
            give(next, label(block));
        }
    }
    // Around the loop: lanes that took different paths through the body meet at the header.
    const auto give_round = [&](BlockId header, uint32_t one) {
      uint32_t& round = at(round_, header, branch);
      if (round == exit_block)
        round = one;
      else if (round != one)
        joins.push_back(header);
    };
    for (const BlockId block : region)
      for (const BlockId next : flow_.blocks[block].successors)
        if (next != exit_block && next <= block && label(block) != exit_block && block != branch)
          give_round(next, label(block));
    for (const BlockId next : flow_.blocks[branch].successors)
      if (next != exit_block && next <= branch) give_round(next, next);
    if (meet != exit_block && targets.contains(meet)) joins.push_back(meet);
    if (joins.empty()) return;

    std::ranges::sort(joins);
    joins.erase(std::unique(joins.begin(), joins.end()), joins.end());
    const auto done = [&](uint32_t r) { return result_.registers[r].is_varying(); };
    for (const BlockId block : region) {
      std::erase_if(mixed_writes_[block], done);
      for (const uint32_t r : mixed_writes_[block]) writer_[r] = branch;
    }
    for (const BlockId block : joins) {
      std::erase_if(mixed_[block], done);
      for (const uint32_t r : mixed_[block])
        if (writer_[r] == branch) become(r, Shape::varying());
    }
  }

  // Lanes leave the loop in different iterations: what it writes differs after it.
  void force_at_exits(const Loop& loop) {
    const auto number = static_cast<size_t>(&loop - flow_.loops.data());
    if (exits_done_[number]) return;
    exits_done_[number] = true;
    for (BlockId b = loop.first; b <= loop.last; ++b)
      for (const BlockId next : flow_.blocks[b].successors) {
        if (next == exit_block || loop.contains(next)) continue;
        flow_.blocks[next].live_in.each([&](uint32_t r) {
          if (result_.registers[r].is_varying()) return;
          const auto by = std::ranges::lower_bound(defining_blocks_[r], loop.first);
          if (by != defining_blocks_[r].end() && *by <= loop.last) become(r, Shape::varying());
        });
      }
  }

  // Waiting lanes must not see what others write meanwhile into a register that all share: makes
  // such registers varying. Returns whether that changed anything. `hurry`: does so for all
  // registers written in regions, waiting lanes or not, to save rounds.
  bool force_where_others_wait(bool hurry) {
    const Needs needs(body_, flow_, result_);
    bool changed = false;
    for (uint32_t r = 0; r < body_.registers.size(); ++r) {
      if (result_.registers[r].is_varying()) continue;
      for (const BlockId by : defining_blocks_[r]) {
        if (result_.region[by] < 0 || (!hurry && !needs.waits(by, r))) continue;
        become(r, Shape::varying());
        changed = true;
        break;
      }
    }
    return changed;
  }

  // Numbers the regions. Several that share a block are one, which ends where the last of them
  // does.
  void number_regions() {
    const size_t count = flow_.blocks.size();
    result_.region.assign(count, -1);
    result_.opens.assign(count, -1);
    result_.region_blocks.clear();
    std::vector<int32_t> number(count, -1);  // of a root
    for (BlockId b = 0; b < count; ++b) {
      if (!in_region_[b]) continue;
      int32_t& region = number[root(b)];
      if (region < 0) {
        region = static_cast<int32_t>(result_.region_blocks.size());
        result_.region_blocks.emplace_back();
      }
      result_.region[b] = region;
      result_.region_blocks[static_cast<size_t>(region)].push_back(b);
    }
    result_.region_exit.assign(result_.region_blocks.size(), exit_block);
    std::ranges::sort(groups_, {}, &Group::branch);
    for (const Group& group : groups_) {
      if (group.first == exit_block) continue;
      const int32_t region = result_.region[group.first];
      result_.opens[group.branch] = region;
      if (group.meet != exit_block && result_.region[group.meet] != region)
        result_.region_exit[static_cast<size_t>(region)] = group.meet;
    }
    find_turns();
  }

  void find_turns() {
    auto& turns = result_.region_turns;
    auto& places = result_.region_places;
    turns.assign(result_.region_blocks.size(), {});
    const auto add = [&](auto& lists, BlockId block) {
      if (result_.region[block] >= 0)
        lists[static_cast<size_t>(result_.region[block])].push_back(block);
    };
    for (const Loop& loop : flow_.loops)
      if (loop.spins)
        for (const BlockId block : loop.next_turn) add(turns, block);
    for (auto& list : turns) std::ranges::sort(list);
    places = turns;
    for (const Loop& loop : flow_.loops)
      for (const BlockId block : loop.meetings)
        if (result_.region[block] >= 0 &&
            !turns[static_cast<size_t>(result_.region[block])].empty())
          add(places, block);
    for (BlockId b = 0; b < flow_.blocks.size(); ++b)
      if (flow_.blocks[b].gathers) add(places, b);
    for (size_t region = 0; region < places.size(); ++region) {
      if (places[region].size() == turns[region].size()) continue;
      std::ranges::sort(places[region]);
      places[region].erase(std::unique(places[region].begin(), places[region].end()),
                           places[region].end());
    }
  }

  struct Group {
    BlockId branch;
    BlockId first;  // of its blocks; exit_block: it has none
    BlockId meet;
  };
  // A value of a block that is valid for one branch.
  struct Mark {
    BlockId branch = exit_block;
    uint32_t value = exit_block;
  };
  static uint32_t& at(std::vector<Mark>& marks, BlockId block, BlockId branch) {
    Mark& mark = marks[block];
    if (mark.branch != branch) mark = {branch, exit_block};
    return mark.value;
  }

  // Rounds in which registers are forced because others wait; each may part more branches.
  static constexpr uint32_t most_rounds = 16;
  // The most blocks that are visited in the regions of branches. Where branches lead anywhere, most
  // regions are most of the kernel, and are joined to one: that is not worth looking at each.
  size_t most_visits() const {
    return flow_.irreducible ? std::max(size_t{1} << 18, 64 * flow_.blocks.size())
                             : size_t{1} << 22;
  }

  const Body& body_;
  const Flow& flow_;
  const ShapeRules rules_;
  Shapes& result_;
  std::vector<std::vector<BlockId>> defining_blocks_;
  std::vector<uint32_t> sequence_;              // instructions with results, in order of blocks
  std::vector<std::vector<uint32_t>> readers_;  // of a register: places in the sequence
  std::vector<std::vector<BlockId>> branches_;  // that a register decides
  std::vector<uint64_t> dirty_;                 // places to look at, as bits
  std::vector<BlockId> pending_;                // branches to look at
  std::vector<bool> apart_;                     // branches that part lanes
  std::vector<bool> in_region_;                 // blocks
  std::vector<bool> exits_done_;                // loops
  std::vector<BlockId> parent_;                 // blocks of one region
  std::vector<BlockId> inside_, writer_;        // of a block, a register: the branch it counts for
  std::vector<Mark> label_, round_;
  std::vector<std::vector<uint32_t>> mixed_;         // live in a block, written in several places
  std::vector<std::vector<uint32_t>> mixed_writes_;  // written by a block
  std::vector<Group> groups_;
  size_t visits_ = 0;
  bool everywhere_ = false;
};

}  // namespace

Shapes find_shapes(const Body& body, const Flow& flow, const BlockClass& block_class) {
  Shapes result;
  ShapeFinder(body, flow, block_class, result).run();
  return result;
}

}  // namespace cuvette::ptx
