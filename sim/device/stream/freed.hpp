// SPDX-License-Identifier: Apache-2.0
// What is remembered and told when the program frees memory.
//
// Threads: any.
#pragma once

#include "sim/memory/allocation.hpp"

namespace cuvette::device {

// Notes where the running call of the program frees the memory, and tells observers. Comes before
// the end of the memory, and after all that may refuse to end it.
void note_freed(memory::Allocation& memory);

}  // namespace cuvette::device
