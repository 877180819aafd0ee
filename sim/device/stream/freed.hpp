// SPDX-License-Identifier: Apache-2.0
// The record and the notification of memory that the program frees.
//
// Threads: any.
#pragma once

#include "sim/memory/allocation.hpp"

namespace cuvette::device {

// Notes where the running call of the program frees the memory, and notifies observers. Comes
// before the end of the memory, and after all that may refuse to end it.
void note_freed(memory::Allocation& memory);

}  // namespace cuvette::device
