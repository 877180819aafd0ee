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
    if (size_of(tree_.kernel) <= most_) return {};
    for (const auto& [function, callees] : tree_.graph)
      if (spins(tree_.body_of(*function))) spinning_.insert(function);
    sizes_.clear();
    choosing_ = true;
    size_of(tree_.kernel);
    return std::move(separate_);
  }

 private:
  // Includes everything inlined in it. A recursive function is counted once.
  size_t size_of(const Function& function) {
    const auto known = sizes_.find(&function);
    if (known != sizes_.end()) return known->second;
    size_t size = sizes_[&function] = tree_.body_of(function).instructions.size();
    for (const Function* const callee : tree_.graph.at(&function)) {
      const size_t inside = size_of(*callee);
      // Above every limit, the exact size does not matter.
      size = std::min(size + (separate_.contains(callee) ? call_size : inside), size_t{1} << 40);
    }
    const bool worth = most_ == 0 || (calls_[&function] > 1 && size >= worth_a_call);
    if (choosing_ && &function != &tree_.kernel && worth && can_be(function))
      separate_.insert(&function);
    return sizes_[&function] = size;
  }

  bool can_be(const Function& function) {
    const auto known = possible_.find(&function);
    if (known != possible_.end()) return known->second;
    const auto& instructions = tree_.body_of(function).instructions;
    const auto in_register = [](const Variable& formal) { return formal.space == Space::reg; };
    const auto& callees = tree_.graph.at(&function);
    return possible_[&function] =
               !tree_.recursive.contains(&function) &&
               std::none_of(function.results.begin(), function.results.end(), in_register) &&
               std::none_of(function.parameters.begin(), function.parameters.end(), in_register) &&
               !spinning_.contains(&function) &&
               std::none_of(instructions.begin(), instructions.end(), ends_or_stops) &&
               // Lanes that must reconverge here may still be spinning elsewhere.
               (spinning_.empty() || std::none_of(instructions.begin(), instructions.end(),
                                                  [](const Instruction& i) {
                                                    return meeting_of(i) != Meeting::none;
                                                  })) &&
               std::all_of(callees.begin(), callees.end(),
                           [&](const Function* callee) { return can_be(*callee); });
  }

  const CallTree& tree_;
  const size_t most_;
  bool choosing_ = false;
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
