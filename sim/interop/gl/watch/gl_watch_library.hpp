// SPDX-License-Identifier: Apache-2.0
// libcuvette_gl.so, as far as it is loaded, and who listens to what it sees.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "sim/interop/gl/watch/gl_watch_protocol.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::interop::gl {

// Returns what the library offers; nulls if it is not loaded.
const gl_watch::Watching& watch_library();

// Returns the number of the contexts that share their objects with `context`; 0 if the library is
// not loaded, or does not know the context.
uint64_t watched_group_of(void* context);

// Sets who is told of the program's calls.
void listen_to_calls(gl_watch::BeforeCall before_call);

// Sets who withdraws what OpenGL is about to free: with the last context of a group, or with the
// storage that `lender` has lent.
struct Withdrawal {
  gl_watch::BeforeGroupEnds of_group;
  void (*of_lender)(const memory::Lender& lender);
};
void listen_to_ends(const Withdrawal& withdrawal);
void storage_ends(const memory::Lender& lender);

}  // namespace cuvette::interop::gl
