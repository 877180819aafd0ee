// SPDX-License-Identifier: Apache-2.0
// Keeps threads out of each other's local memory.
//
// On a GPU a generic address of local memory means the memory of whoever reads it: every thread's
// lies at the same addresses. Here each thread's has its own, so a thread that gets an address from
// another one would find the other's variables. In programs where such an address may go from
// thread to thread, addresses that come out of memory or of other lanes are made the reader's own
// before they are used. All other programs, which are nearly all, are left as they are.
//
// Threads: plain functions.
#pragma once

#include "sim/ptx/passes/inline.hpp"

namespace cuvette::ptx {

// Adds the instruction `ownlocal` in front of plain loads and stores where it is needed.
void keep_in_own_memory(Bodies& bodies);

}  // namespace cuvette::ptx
