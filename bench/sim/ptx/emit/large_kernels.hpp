// SPDX-License-Identifier: Apache-2.0
// Kernels as large as one likes: what compilers and generators of code write, each of a shape of
// its own. `kernel(out)` writes one number of 32 bits for each thread; what that is depends on the
// thread's number alone. Tests and benchmarks of compile time use them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cuvette::ptx::test {

struct LargeKernel {
  const char* name;
  // Returns a module of about this many instructions.
  std::string (*make)(size_t instructions);
};

// Straight-line code with loads, stores and much that is live; loops within loops with arrays in
// local memory, forwards and backwards, as automatic differentiation writes them; branches that
// lanes take into each other's code; loops in sequence and nested; calls;
// jumps by tables; barriers; locks.
std::span<const LargeKernel> large_kernels();

}  // namespace cuvette::ptx::test
