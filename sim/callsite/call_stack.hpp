// SPDX-License-Identifier: Apache-2.0
// Call stacks of the program. A place, where the program called, is one pointer: the return address
// of the call or, where stacks are kept, a stack that begins with it. Equal stacks are kept once,
// for good.
//
// Walking a stack takes microseconds. So the last stacks of each thread are remembered together
// with where their return addresses lie in memory, and a call from the same depth only looks
// whether they are still there.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

namespace cuvette::callsite {

namespace detail {
extern std::atomic<bool> keeping_stacks;
const void* keep_stack(const void* return_address);
}  // namespace detail

// Has place_of_call() keep stacks from now on.
void keep_stacks();
inline bool keeps_stacks() { return detail::keeping_stacks.load(std::memory_order_relaxed); }

// Returns the place of a call that the calling thread is in and that will return to
// `return_address`.
inline const void* place_of_call(const void* return_address) {
  return keeps_stacks() ? detail::keep_stack(return_address) : return_address;
}

// Returns the return addresses of a place, the innermost first. `place` lives as long as they.
std::span<const void* const> stack_of(const void* const& place);

}  // namespace cuvette::callsite
