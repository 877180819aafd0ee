// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/recursion.hpp"
#include "sim/base/rounding.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cuvette::ptx {
namespace {

// Tarjan's strongly connected components.
class Components {
 public:
  explicit Components(const CallGraph& graph) : graph_(graph) {}

  std::map<const Function*, uint32_t> run() {
    for (const auto& [function, callees] : graph_)
      if (!nodes_.contains(function)) visit(function);
    return std::move(result_);
  }

 private:
  struct Node {
    uint32_t number, lowest;
    bool on_stack, calls_itself;
  };
  struct Visit {
    const Function* function;
    Node* node;
    size_t next = 0;  // of its callees
  };

  Visit begin(const Function* function) {
    const auto number = static_cast<uint32_t>(nodes_.size());
    stack_.push_back(function);
    return {function, &(nodes_[function] = {number, number, true, false})};
  }

  // Without recursion: chains of calls are as long as a program likes.
  void visit(const Function* first) {
    static const std::vector<const Function*> none;
    std::vector<Visit> visits{begin(first)};
    while (!visits.empty()) {
      auto& [function, node, next] = visits.back();
      const auto found = graph_.find(function);
      const auto& callees = found == graph_.end() ? none : found->second;
      if (next == callees.size()) {
        if (node->lowest == node->number) finish(*function, *node);
        const uint32_t lowest = node->lowest;
        visits.pop_back();
        if (!visits.empty())
          visits.back().node->lowest = std::min(visits.back().node->lowest, lowest);
        continue;
      }
      const Function* const callee = callees[next++];
      node->calls_itself |= callee == function;
      const auto known = nodes_.find(callee);
      if (known == nodes_.end())
        visits.push_back(begin(callee));
      else if (known->second.on_stack)
        node->lowest = std::min(node->lowest, known->second.number);
    }
  }

  // All functions above `function` on the stack are a component with it.
  void finish(const Function& function, const Node& node) {
    const bool recursive = stack_.back() != &function || node.calls_itself;
    if (recursive) ++components_;
    for (;;) {
      const Function* const member = stack_.back();
      stack_.pop_back();
      nodes_[member].on_stack = false;
      if (recursive) result_[member] = components_;
      if (member == &function) break;
    }
  }

  const CallGraph& graph_;
  std::map<const Function*, Node> nodes_;
  std::vector<const Function*> stack_;
  std::map<const Function*, uint32_t> result_;
  uint32_t components_ = 0;
};

uint32_t alignment_of(const Variable& variable) {
  return std::max({variable.alignment, size_of(variable.type), 1u});
}

uint32_t aligned(uint64_t at, uint64_t alignment) {
  return static_cast<uint32_t>(round_up(at, alignment));
}

// Returns the place of the variable, at or after `end`, and moves `end` past it.
uint32_t lay_out(const Variable& variable, uint64_t& end) {
  const uint32_t offset = aligned(end, alignment_of(variable));
  end = offset + variable.bytes();
  return offset;
}

}  // namespace

std::map<const Function*, uint32_t> find_recursion(const CallGraph& graph) {
  return Components(graph).run();
}

std::vector<const Function*> callees_first(const CallGraph& graph, const Function& root) {
  std::vector<const Function*> order;
  std::set<const Function*> seen{&root};
  std::vector<std::pair<const Function*, size_t>> work{{&root, 0}};
  while (!work.empty()) {
    auto& [function, next] = work.back();
    const std::vector<const Function*>& callees = graph.at(function);
    if (next == callees.size()) {
      order.push_back(function);
      work.pop_back();
    } else if (const Function* const callee = callees[next++]; seen.insert(callee).second) {
      work.emplace_back(callee, 0);
    }
  }
  return order;
}

std::vector<uint32_t> places_of_formals(const Function& function) {
  std::vector<uint32_t> places;
  uint64_t at = Activation::head_bytes;
  for (const auto* const list : {&function.results, &function.parameters})
    for (const Variable& formal : *list) places.push_back(lay_out(formal, at));
  return places;
}

uint32_t frame_alignment(const Function& function, const Body& body) {
  uint32_t most = Activation::least_alignment;
  for (const auto* const list : {&function.results, &function.parameters, &body.variables})
    for (const Variable& variable : *list)
      if (list != &body.variables || variable.space == Space::local)
        most = std::max(most, alignment_of(variable));
  return most;
}

Activation lay_out_activation(const Function& function, const Body& body, uint32_t alignment) {
  Activation result;
  result.flow = find_flow(body);
  uint64_t at = Activation::head_bytes;
  for (const auto* const list : {&function.results, &function.parameters})
    for (const Variable& formal : *list) result.formals[formal.name] = lay_out(formal, at);
  for (const Variable& variable : body.variables)
    result.variables.push_back(variable.space == Space::local ? lay_out(variable, at)
                                                              : Activation::elsewhere);
  result.saved = aligned(at, Activation::saved_bytes);
  uint32_t most = 0;
  for (uint32_t i = 0; i < body.instructions.size(); ++i)
    if (body.instructions[i].opcode == Opcode::call)
      most = std::max(most, static_cast<uint32_t>(needed_behind(result, body, i).size()));
  result.bytes =
      aligned(uint64_t{result.saved} + uint64_t{Activation::saved_bytes} * most, alignment);
  return result;
}

std::vector<uint32_t> needed_behind(const Activation& activation, const Body& body, uint32_t call) {
  std::vector<uint32_t> needed;
  for (const Block& block : activation.flow.blocks) {
    if (call < block.first || call >= block.end) continue;
    BitSet live = block.live_out;
    std::vector<uint32_t> registers;
    for (uint32_t i = block.end; i-- > call;) {
      const Instruction& instruction = body.instructions[i];
      registers.clear();
      Flow::written(instruction, registers);
      for (const uint32_t r : registers) live.erase(r);
      if (i == call) break;
      registers.clear();
      Flow::read(instruction, registers);
      for (const uint32_t r : registers) live.insert(r);
    }
    live.each([&](uint32_t r) { needed.push_back(r); });
    break;
  }
  return needed;
}

}  // namespace cuvette::ptx
