// SPDX-License-Identifier: Apache-2.0
// Knowledge: after which accesses of other threads a thread comes, beyond what barriers of its
// whole block and of its whole warp say (thread_order.hpp).
//
// For each block it is a time up to which all of the block's accesses are known, and later times
// for single warps and threads. It is handed on by reference, from a release to all that acquire
// it.
//
// Threads: any; immutable.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/ref.hpp"
#include "sim/check/kernel/mark.hpp"

namespace cuvette::watch {

class Knowledge final : public Counted {
 public:
  // A thread's number in its block, or a warp's number after all threads.
  static constexpr uint16_t first_warp = 1024;
  struct Part {
    uint32_t block = 0;
    uint32_t all = 0;                                 // a time
    std::vector<std::pair<uint16_t, uint32_t>> ones;  // thread or warp, and a time; in order
  };
  using Pointer = Ref<const Knowledge>;

  explicit Knowledge(std::vector<Part> parts) : parts_(std::move(parts)) {}
  static Pointer of(Part part);
  // Returns what either knows; either may be null. If one of the two says it all, that one: a
  // thread that polls a flag sees the same release again and again.
  static Pointer join(const Pointer& a, const Pointer& b);

  bool knows(const Mark& mark) const;

 private:
  ~Knowledge() override = default;
  static void join(Part& into, const Part& from);
  static bool covers(const Part& all, const Part& some);
  bool covers(const Knowledge& other) const;

  std::vector<Part> parts_;  // in the order of blocks
};

}  // namespace cuvette::watch
