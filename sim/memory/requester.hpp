// SPDX-License-Identifier: Apache-2.0
// Requester: the context that memory is made for, and the call that asked for it.
//
// Threads: plain values.
#pragma once

#include <cstdint>

namespace cuvette::memory {

// Recorded in the Allocation.
struct Requester {
  uint64_t owner = 0;  // identifier of the context
  uint8_t device = 0;
  const void* call_site = nullptr;
};

}  // namespace cuvette::memory
