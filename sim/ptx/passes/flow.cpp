// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/flow.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "sim/ptx/passes/liveness.hpp"
#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/passes/waits.hpp"

namespace cuvette::ptx {
namespace {

// --- Order ---

// Blocks are marked with the number of their part of the graph, so that processing a part costs
// nothing for blocks outside.
class Orderer {
 public:
  explicit Orderer(const std::vector<Block>& blocks)
      : blocks_(blocks),
        part_(blocks.size()),
        component_(blocks.size()),
        index_(blocks.size()),
        low_(blocks.size()) {}

  // Blocks that can be reached from the first one, in order. Returns false if loops are nested too
  // deeply.
  bool run(std::vector<BlockId>& order, std::vector<std::pair<size_t, size_t>>& loops,
           bool& irreducible) {
    std::vector<bool> reached(blocks_.size());
    std::vector<BlockId> work{0}, nodes;
    reached[0] = true;
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      nodes.push_back(block);
      for (const BlockId next : blocks_[block].successors)
        if (next != exit_block && !reached[next]) {
          reached[next] = true;
          work.push_back(next);
        }
    }
    loops_ = &loops;
    irreducible_ = &irreducible;
    std::sort(nodes.begin(), nodes.end());
    const bool good = place(nodes, exit_block);
    order = std::move(order_);
    return good;
  }

 private:
  // Places `nodes`; edges to `header` are left out.
  bool place(const std::vector<BlockId>& nodes, BlockId header) {
    const uint32_t part = ++parts_;
    std::vector<std::vector<BlockId>> components;
    for (const BlockId node : nodes) {
      part_[node] = part;
      index_[node] = UINT32_MAX;
    }
    find_components(nodes, header, part, components);

    // Kahn's order over the components, the earliest in the text first.
    std::vector<uint32_t> missing(components.size());
    const auto each_edge = [&](uint32_t from, const auto& f) {
      for (const BlockId node : components[from])
        for (const BlockId next : blocks_[node].successors)
          if (next != exit_block && part_[next] == part && next != header &&
              component_[next] != from)
            f(component_[next]);
    };
    for (uint32_t i = 0; i < components.size(); ++i) {
      std::sort(components[i].begin(), components[i].end());
      each_edge(i, [&](uint32_t to) { ++missing[to]; });
    }
    const auto later = [&](uint32_t a, uint32_t b) { return components[a][0] > components[b][0]; };
    std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> ready(later);
    for (uint32_t i = 0; i < components.size(); ++i)
      if (missing[i] == 0) ready.push(i);
    while (!ready.empty()) {
      const uint32_t now = ready.top();
      ready.pop();
      // Before its nodes become their own part.
      each_edge(now, [&](uint32_t to) {
        if (--missing[to] == 0) ready.push(to);
      });
      if (!place_component(components[now], header, part, now)) return false;
    }
    return true;
  }

  bool place_component(const std::vector<BlockId>& nodes, BlockId header, uint32_t part,
                       uint32_t component) {
    const auto loops_on_itself = [&](BlockId node) {
      return node != header &&
             std::count(blocks_[node].successors.begin(), blocks_[node].successors.end(), node) > 0;
    };
    if (nodes.size() == 1 && !loops_on_itself(nodes[0])) {
      order_.push_back(nodes[0]);
      return true;
    }
    if (++depth_ > most_nested_loops) return false;
    // Its entries: where edges from outside come in.
    const auto outside = [&](BlockId b) { return part_[b] != part || component_[b] != component; };
    std::vector<BlockId> entries;
    for (const BlockId node : nodes) {
      const auto& from = blocks_[node].predecessors;
      if (node == 0 || std::any_of(from.begin(), from.end(), outside)) entries.push_back(node);
    }
    if (entries.empty()) entries.push_back(nodes[0]);
    BlockId first = entries[0];
    if (entries.size() > 1) {
      *irreducible_ = true;
      first = hub_among(nodes, first);
    }
    const size_t loop = loops_->size();
    const size_t begin = order_.size();
    loops_->emplace_back(begin, begin);
    order_.push_back(first);
    std::vector<BlockId> rest;
    for (const BlockId node : nodes)
      if (node != first) rest.push_back(node);
    if (!rest.empty() && !place(rest, first)) return false;
    (*loops_)[loop].second = order_.size() - 1;
    --depth_;
    return true;
  }

  // Where functions stand once, hundreds of places return through one block, and no entry is
  // better than another: without it the loop falls apart, without an entry it loses that alone. The
  // kernel's first block stays the first.
  BlockId hub_among(const std::vector<BlockId>& nodes, BlockId otherwise) const {
    if (nodes[0] == 0) return otherwise;
    constexpr size_t least = 32;
    const auto edges = [&](BlockId b) {
      return blocks_[b].predecessors.size() + blocks_[b].successors.size();
    };
    const BlockId hub = *std::ranges::max_element(nodes, {}, edges);
    return edges(hub) < least ? otherwise : hub;
  }

  // Tarjan's algorithm, without recursion.
  void find_components(const std::vector<BlockId>& nodes, BlockId header, uint32_t part,
                       std::vector<std::vector<BlockId>>& components) {
    // Blocks on the stack have no component yet.
    constexpr uint32_t none = UINT32_MAX;
    for (const BlockId node : nodes) component_[node] = none;
    std::vector<BlockId> stack;
    uint32_t counter = 0;
    struct Frame {
      BlockId node;
      size_t next;
    };
    for (const BlockId start : nodes) {
      if (index_[start] != UINT32_MAX) continue;
      std::vector<Frame> frames{{start, 0}};
      index_[start] = low_[start] = counter++;
      stack.push_back(start);
      while (!frames.empty()) {
        Frame& frame = frames.back();
        const BlockId node = frame.node;
        if (frame.next < blocks_[node].successors.size()) {
          const BlockId next = blocks_[node].successors[frame.next++];
          if (next == exit_block || part_[next] != part || next == header) continue;
          if (index_[next] == UINT32_MAX) {
            index_[next] = low_[next] = counter++;
            stack.push_back(next);
            frames.push_back({next, 0});
          } else if (component_[next] == none) {
            low_[node] = std::min(low_[node], index_[next]);
          }
          continue;
        }
        if (low_[node] == index_[node]) {
          auto& members = components.emplace_back();
          for (;;) {
            const BlockId member = stack.back();
            stack.pop_back();
            component_[member] = static_cast<uint32_t>(components.size() - 1);
            members.push_back(member);
            if (member == node) break;
          }
        }
        frames.pop_back();
        if (!frames.empty())
          low_[frames.back().node] = std::min(low_[frames.back().node], low_[node]);
      }
    }
  }

  const std::vector<Block>& blocks_;
  std::vector<uint32_t> part_;       // of a block: the innermost part that was looked at
  std::vector<uint32_t> component_;  // in its part
  std::vector<uint32_t> index_, low_;
  uint32_t parts_ = 0, depth_ = 0;
  std::vector<BlockId> order_;
  std::vector<std::pair<size_t, size_t>>* loops_ = nullptr;
  bool* irreducible_ = nullptr;
};

// --- The steps ---

// Where blocks begin besides labels, and which of them gather.
struct Cuts {
  bool at_meetings = false;  // where lanes meet
  // Nothing, barriers of the block, or all meetings.
  enum class Gather { nowhere, at_barriers, at_meetings } gather = Gather::nowhere;
};

std::vector<Block> cut(const Body& body, const Cuts& cuts) {
  const auto& instructions = body.instructions;
  std::vector<bool> begins(instructions.size() + 1);
  begins[0] = true;
  for (const uint32_t label : body.labels) begins[label] = true;
  using Gather = Cuts::Gather;
  bool together = false;  // all lanes that are here have met since the last label or branch
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].is(Trait::ends_block)) begins[i + 1] = true;
    if (begins[i]) together = false;
    if (cuts.gather != Gather::nowhere && is_barrier_of_block(instructions[i])) {
      begins[i] = together = true;
      continue;
    }
    if (!cuts.at_meetings || together) continue;
    const Meeting meeting = meeting_of(instructions[i]);
    together = meeting == Meeting::all;
    if (meeting != Meeting::none) begins[i] = true;
  }
  std::vector<uint32_t> block_at(instructions.size() + 1, exit_block);
  std::vector<Block> blocks;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (begins[i]) {
      blocks.emplace_back().first = i;
      blocks.back().meeting = meeting_of(instructions[i]);
      blocks.back().gathers =
          cuts.gather != Gather::nowhere &&
          (is_barrier_of_block(instructions[i]) ||
           (cuts.gather == Gather::at_meetings && blocks.back().meeting != Meeting::none));
    }
    block_at[i] = static_cast<uint32_t>(blocks.size() - 1);
    blocks.back().end = i + 1;
  }
  if (blocks.empty()) blocks.emplace_back();
  std::unordered_map<std::string_view, const Body::Table*> tables;
  for (const Body::Table& table : body.tables) tables.emplace(table.name, &table);
  for (size_t b = 0; b < blocks.size(); ++b) {
    Block& block = blocks[b];
    const BlockId next = b + 1 < blocks.size() ? static_cast<BlockId>(b + 1) : exit_block;
    const Instruction* const last =
        block.end > block.first ? &instructions[block.end - 1] : nullptr;
    if (!last || !last->is(Trait::ends_block)) {
      block.successors = {next};
      continue;
    }
    block.has_terminator = true;
    if (last->opcode == Opcode::brx) {
      const std::string_view name = last->operands.size() > 1 ? last->operands[1].symbol : "";
      if (const auto table = tables.find(name); table != tables.end())
        for (const uint32_t label : table->second->labels)
          block.successors.push_back(block_at[body.labels[label]]);
    } else if (last->opcode == Opcode::bra) {
      block.successors = {block_at[body.labels[last->operands[0].index]]};
    } else {
      block.successors = {exit_block};
    }
    if (last->predicate) block.successors.push_back(next);
  }
  return blocks;
}

void link(std::vector<Block>& blocks) {
  for (Block& block : blocks) block.predecessors.clear();
  for (BlockId b = 0; b < blocks.size(); ++b)
    for (const BlockId next : blocks[b].successors)
      // One edge of several: a block's edges follow each other.
      if (next != exit_block &&
          (blocks[next].predecessors.empty() || blocks[next].predecessors.back() != b))
        blocks[next].predecessors.push_back(b);
}

Flow find_flow(const Body& body, const Cuts& cuts) {
  std::vector<Block> blocks = cut(body, cuts);
  link(blocks);
  Flow flow;
  flow.gathers = std::ranges::any_of(blocks, &Block::gathers);
  std::vector<std::pair<size_t, size_t>> ranges;
  std::vector<BlockId> order;
  if (!Orderer(blocks).run(order, ranges, flow.irreducible)) {
    flow.too_deep = true;
    return flow;
  }
  std::vector<BlockId> place(blocks.size(), exit_block);
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<BlockId>(i);
  for (const BlockId old : order) {
    Block& block = flow.blocks.emplace_back(std::move(blocks[old]));
    for (BlockId& next : block.successors)
      if (next != exit_block) next = place[next];
  }
  link(flow.blocks);
  flow.innermost.assign(flow.blocks.size(), no_loop);
  for (const auto& [first, last] : ranges) {
    Loop& loop = flow.loops.emplace_back();
    loop.first = static_cast<BlockId>(first);
    loop.last = static_cast<BlockId>(last);
    loop.outer = flow.innermost[first];
    loop.next_turn = {loop.first};
    for (BlockId b = loop.first; b <= loop.last; ++b)
      flow.innermost[b] = static_cast<uint32_t>(flow.loops.size() - 1);
  }
  for (BlockId b = 0; b < flow.blocks.size(); ++b) {
    const Block& block = flow.blocks[b];
    // A back edge belongs to the innermost loop around both of its ends.
    for (const BlockId next : block.successors) {
      if (next > b) continue;
      uint32_t around = flow.innermost[b];
      while (!flow.loops[around].contains(next)) around = flow.loops[around].outer;
      auto& targets = flow.loops[around].next_turn;
      if (std::ranges::count(targets, next) == 0) targets.push_back(next);
    }
  }
  for (Loop& loop : flow.loops) std::ranges::sort(loop.next_turn);
  find_liveness(body, flow.blocks);
  find_post_dominators(flow.blocks);
  find_waits(body, flow);
  for (BlockId b = 0; b < flow.blocks.size(); ++b) {
    if (flow.blocks[b].meeting == Meeting::none) continue;
    uint32_t spinning = flow.innermost[b];
    while (spinning != no_loop && !flow.loops[spinning].spins)
      spinning = flow.loops[spinning].outer;
    if (spinning != no_loop) flow.loops[spinning].meetings.push_back(b);
  }
  return flow;
}

}  // namespace

Flow find_flow(const Body& body, bool gather_at_barriers, bool far) {
  Cuts cuts;
  if (body.returns_by_number)
    cuts.gather = Cuts::Gather::at_meetings;
  else if (gather_at_barriers)
    cuts.gather = Cuts::Gather::at_barriers;
  cuts.at_meetings = body.returns_by_number || std::ranges::any_of(body.instructions, may_wait);
  Flow flow = find_flow(body, cuts);
  if (!cuts.at_meetings && std::ranges::any_of(flow.loops, &Loop::spins)) {
    cuts.at_meetings = true;
    flow = find_flow(body, cuts);
  }
  flow.gathers_far = far && flow.gathers;
  return flow;
}

}  // namespace cuvette::ptx
