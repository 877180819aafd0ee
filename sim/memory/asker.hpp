// SPDX-License-Identifier: Apache-2.0
// Asker: for whom memory is made.
//
// Threads: plain values.
#pragma once

#include <cstdint>

namespace cuvette::memory {

// Who asks for memory; recorded in the Allocation.
struct Asker {
  uint64_t owner = 0;  // identifier of the context
  uint8_t device = 0;
  const void* call_site = nullptr;
};

}  // namespace cuvette::memory
