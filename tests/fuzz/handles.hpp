// SPDX-License-Identifier: Apache-2.0
// Handles: what calls of one input have made. Most of it has been destroyed when it is used again.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fuzz/input.hpp"

template <typename Handle>
class Handles {
 public:
  // Where a call puts a new one, or null.
  Handle* place(Input& input) { return input.below(16) == 0 ? nullptr : &made_; }
  // `result`: of the call that was given the place; 0 is success.
  template <typename Result>
  void keep(Result result, Handle* place) {
    if (result == 0 && place) known_.push_back(*place);
  }
  // A known one, or one that never was.
  Handle any(Input& input) {
    switch (input.below(8)) {
      case 0:
        return Handle{};
      case 1:
        return (Handle)(uintptr_t)input.number();
      case 2:
        return (Handle)(uintptr_t)input.below(4);
      default:
        return known_.empty() ? Handle{} : known_[input.byte() % known_.size()];
    }
  }
  const std::vector<Handle>& all() const { return known_; }

 private:
  Handle made_{};
  std::vector<Handle> known_;
};
