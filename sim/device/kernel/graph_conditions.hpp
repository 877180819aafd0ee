// SPDX-License-Identifier: Apache-2.0
// GraphConditions: what a kernel may decide about the executable graph that it belongs to.
//
// Threads: any that run blocks.
#pragma once

#include <cstdint>

namespace cuvette::device {

class GraphConditions {
 public:
  // Sets the condition with this handle. Returns false if the graph has no such condition.
  virtual bool set_condition(uint64_t handle, uint32_t value) = 0;

 protected:
  ~GraphConditions() = default;
};

}  // namespace cuvette::device
