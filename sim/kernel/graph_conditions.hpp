// SPDX-License-Identifier: Apache-2.0
// GraphConditions: what a kernel may decide of the executable graph that it is a step of.
//
// Threads: those that run blocks.
#pragma once

#include <cstdint>

namespace cuvette::device {

class GraphConditions {
 public:
  // Gives the condition with this handle its value. False: the graph has none.
  virtual bool set_condition(uint64_t handle, uint32_t value) = 0;

 protected:
  ~GraphConditions() = default;
};

}  // namespace cuvette::device
