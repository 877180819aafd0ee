// SPDX-License-Identifier: Apache-2.0
// StepOrder: which steps of a graph come before which.
//
// Threads: any; immutable.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/device/stream/operation.hpp"

namespace cuvette::check {

class StepOrder {
 public:
  explicit StepOrder(const device::Steps& steps)
      : words_((steps.count() + 63) / 64), before_(steps.count() * words_) {
    // Steps are in topological order: when a step's turn comes, all its predecessors are known.
    for (uint32_t i = 0; i < steps.count(); ++i)
      for (const uint32_t next : steps.after(i)) {
        for (size_t k = 0; k < words_; ++k) row(next)[k] |= row(i)[k];
        row(next)[i / 64] |= uint64_t{1} << (i % 64);
      }
  }
  bool ordered(uint32_t earlier, uint32_t later) const {
    return earlier == later || (before_[later * words_ + earlier / 64] >> (earlier % 64) & 1) != 0;
  }

 private:
  uint64_t* row(uint32_t step) { return before_.data() + step * words_; }

  const size_t words_;
  std::vector<uint64_t> before_;  // a row for each step, with a bit for each step before it
};

}  // namespace cuvette::check
