// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/once.hpp"

#include <algorithm>

namespace cuvette::ptx {
namespace {

// Jumping to a shorter function and back takes as many instructions.
constexpr size_t worth_a_jump = 12;

class OnceFinder {
 public:
  OnceFinder(const CallTree& tree, const std::set<const Function*>& separate)
      : tree_(tree), separate_(separate) {}

  size_t size() { return size_of(tree_.kernel); }

  PlacedOnce run() {
    PlacedOnce once;
    for (const auto& [function, callees] : tree_.graph) {
      if (function == &tree_.kernel || separate_.contains(function) || !can_be(*function) ||
          size_of(*function) < worth_a_jump)
        continue;
      once.functions.insert(function);
      if (reaches_component(*function)) once.before_frames.insert(function);
    }
    return once;
  }

 private:
  // Includes copies of all callees. Recursive functions are counted once for each call from
  // outside.
  size_t size_of(const Function& function) {
    const auto known = sizes_.find(&function);
    if (known != sizes_.end()) return known->second;
    size_t size = sizes_[&function] = tree_.body_of(function).instructions.size();
    for (const Function* const callee : tree_.graph.at(&function))
      // Above every limit, the exact size does not matter.
      if (!separate_.contains(callee)) size = std::min(size + size_of(*callee), size_t{1} << 40);
    return sizes_[&function] = size;
  }

  bool can_be(const Function& function) const {
    const auto in_register = [](const Variable& formal) { return formal.space == Space::reg; };
    return !tree_.recursive.contains(&function) &&
           std::ranges::none_of(function.results, in_register) &&
           std::ranges::none_of(function.parameters, in_register);
  }

  bool reaches_component(const Function& function) {
    const auto known = reaches_.find(&function);
    if (known != reaches_.end()) return known->second;
    if (tree_.recursive.contains(&function)) return reaches_[&function] = true;
    return reaches_[&function] = std::ranges::any_of(
               tree_.graph.at(&function),
               [&](const Function* callee) { return reaches_component(*callee); });
  }

  const CallTree& tree_;
  const std::set<const Function*>& separate_;
  std::map<const Function*, size_t> sizes_;
  std::map<const Function*, bool> reaches_;
};

}  // namespace

PlacedOnce find_placed_once(const CallTree& tree, const std::set<const Function*>& separate,
                            size_t most_copied) {
  OnceFinder finder(tree, separate);
  if (finder.size() <= most_copied) return {};
  return finder.run();
}

}  // namespace cuvette::ptx
