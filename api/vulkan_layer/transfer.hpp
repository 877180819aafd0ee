// SPDX-License-Identifier: Apache-2.0
// Transfer: a barrier that hands memory over to, or takes it over from, those outside of this
// Vulkan: the one of its two queue families is VK_QUEUE_FAMILY_EXTERNAL or ..._FOREIGN_EXT.
//
// Threads: plain values.
#pragma once

#include <vector>

#include "api/vulkan_layer/memories.hpp"

namespace cuvette::vulkan_layer {

struct Transfer {
  enum class Kind : uint8_t { acquire, release };
  Kind kind;
  MemoryRange range;
};

// The effect of a command buffer, or a batch of them, on the ownership of memory.
struct Transfers {
  std::vector<Transfer> list;  // in the order of the commands
  // Sets events or waits for them: the host, or another queue, may know how far it has come.
  bool uses_events = false;

  void append(const Transfers& others) {
    list.insert(list.end(), others.list.begin(), others.list.end());
    uses_events |= others.uses_events;
  }
};

}  // namespace cuvette::vulkan_layer
