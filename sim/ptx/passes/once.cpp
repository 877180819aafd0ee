// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/once.hpp"

#include <algorithm>

namespace cuvette::ptx {
namespace {

// Jumping to a shorter function and back takes as many instructions.
constexpr size_t worth_a_jump = 12;

class OnceFinder {
 public:
  OnceFinder(const CallTree& tree, const std::set<const Function*>& separate) : tree_(tree) {
    // Includes copies of all callees. Recursive functions are counted once for each call from
    // outside.
    for (const Function* const function : callees_first(tree.graph, tree.kernel)) {
      size_t& size = sizes_[function] = tree.body_of(*function).instructions.size();
      bool& reaches = reaches_[function] = tree.recursive.contains(function);
      for (const Function* const callee : tree.graph.at(function)) {
        // Above every limit, the exact size does not matter.
        if (!separate.contains(callee)) size = std::min(size + size_of(*callee), size_t{1} << 40);
        reaches |= reaches_[callee] || tree.recursive.contains(callee);
      }
    }
  }

  size_t size() const { return sizes_.at(&tree_.kernel); }

  PlacedOnce run(const std::set<const Function*>& separate) {
    PlacedOnce once;
    for (const auto& [function, callees] : tree_.graph) {
      if (function == &tree_.kernel || separate.contains(function) || !can_be(*function) ||
          size_of(*function) < worth_a_jump)
        continue;
      once.functions.insert(function);
      if (reaches_[function]) once.before_frames.insert(function);
    }
    return once;
  }

 private:
  size_t size_of(const Function& function) const {
    const auto known = sizes_.find(&function);
    return known != sizes_.end() ? known->second : tree_.body_of(function).instructions.size();
  }

  bool can_be(const Function& function) const {
    const auto in_register = [](const Variable& formal) { return formal.space == Space::reg; };
    return !tree_.recursive.contains(&function) &&
           std::ranges::none_of(function.results, in_register) &&
           std::ranges::none_of(function.parameters, in_register);
  }

  const CallTree& tree_;
  std::map<const Function*, size_t> sizes_;
  std::map<const Function*, bool> reaches_;
};

}  // namespace

PlacedOnce find_placed_once(const CallTree& tree, const std::set<const Function*>& separate,
                            size_t most_copied) {
  OnceFinder finder(tree, separate);
  if (finder.size() <= most_copied) return {};
  return finder.run(separate);
}

}  // namespace cuvette::ptx
