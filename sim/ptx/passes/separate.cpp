// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/separate.hpp"

#include <algorithm>

#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {
namespace {

// A function must do enough work for passing everything through memory to cost little.
constexpr size_t worth_a_call = 64;
// The number of instructions that a call counts as.
constexpr size_t call_size = 8;

bool ends_or_stops(const Instruction& i) {
  return i.opcode == Opcode::exit || i.is(Trait::stack) ||
         (i.is(Trait::barrier) && !i.has(dot::warp)) || may_wait(i);
}

bool spins(const Body& body) {
  if (std::ranges::any_of(body.instructions, may_wait)) return true;
  if (std::ranges::none_of(body.instructions, [](const Instruction& i) {
        return i.opcode == Opcode::bra || i.opcode == Opcode::brx;
      }))
    return false;
  return std::ranges::any_of(find_flow(body).loops, [](const Loop& loop) { return loop.spins; });
}

class SeparateFinder {
 public:
  SeparateFinder(const CallTree& tree, size_t most_in_place) : tree_(tree), most_(most_in_place) {
    for (const auto& [function, callees] : tree_.graph) {
      for (const Function* const callee : callees) ++calls_[callee];
    }
  }

  std::set<const Function*> run() {
    const auto order = callees_first(tree_.graph, tree_.kernel);
    find_sizes(order, false);
    if (sizes_[&tree_.kernel] <= most_) return {};
    for (const auto& [function, callees] : tree_.graph)
      if (spins(tree_.body_of(*function))) spinning_.insert(function);
    sizes_.clear();
    find_sizes(order, true);
    return std::move(separate_);
  }

 private:
  // Sizes include everything inlined in a function. A recursive function is counted once.
  void find_sizes(const std::vector<const Function*>& order, bool choose) {
    for (const Function* const function : order) {
      size_t size = sizes_[function] = tree_.body_of(*function).instructions.size();
      for (const Function* const callee : tree_.graph.at(function)) {
        const auto known = sizes_.find(callee);
        const size_t inside =
            known != sizes_.end() ? known->second : tree_.body_of(*callee).instructions.size();
        // Above every limit, the exact size does not matter.
        size = std::min(size + (separate_.contains(callee) ? call_size : inside), size_t{1} << 40);
      }
      sizes_[function] = size;
      if (!choose || function == &tree_.kernel) continue;
      const bool possible = possible_[function] = can_be(*function);
      const bool worth = most_ == 0 || (calls_[function] > 1 && size >= worth_a_call);
      if (worth && possible) separate_.insert(function);
    }
  }

  // Its callees must have been decided before.
  bool can_be(const Function& function) const {
    const auto& instructions = tree_.body_of(function).instructions;
    const auto in_register = [](const Variable& formal) { return formal.space == Space::reg; };
    const auto& callees = tree_.graph.at(&function);
    return !tree_.recursive.contains(&function) &&
           std::none_of(function.results.begin(), function.results.end(), in_register) &&
           std::none_of(function.parameters.begin(), function.parameters.end(), in_register) &&
           !spinning_.contains(&function) &&
           std::none_of(instructions.begin(), instructions.end(), ends_or_stops) &&
           // Lanes that must reconverge here may still be spinning elsewhere.
           (spinning_.empty() ||
            std::none_of(instructions.begin(), instructions.end(),
                         [](const Instruction& i) { return meeting_of(i) != Meeting::none; })) &&
           std::all_of(callees.begin(), callees.end(),
                       [&](const Function* callee) { return possible_.at(callee); });
  }

  const CallTree& tree_;
  const size_t most_;
  std::set<const Function*> spinning_;
  std::map<const Function*, size_t> calls_, sizes_;
  std::map<const Function*, bool> possible_;
  std::set<const Function*> separate_;
};

}  // namespace

std::set<const Function*> find_separate(const CallTree& tree, size_t most_in_place) {
  return SeparateFinder(tree, most_in_place).run();
}

}  // namespace cuvette::ptx
