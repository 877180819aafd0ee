// SPDX-License-Identifier: Apache-2.0
// Clock: for each of any number of chains of events, how far it is known; 0 where nothing is.
//
// A clock is a value: copying it is one reference. Behind it is a tree of sixteen branches that
// is never changed and shared by every clock that was made of it, so that raising one chain copies
// one path, and joining two clocks looks only at where they differ. Ten thousand chains that
// everybody knows alike are held once.
//
// Threads: any may read; a Clock object itself belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/ref.hpp"

namespace cuvette::check {

class Clock {
 public:
  struct Node;

  Clock();
  Clock(const Clock&);
  Clock(Clock&&) noexcept;
  Clock& operator=(const Clock&);
  Clock& operator=(Clock&&) noexcept;
  ~Clock();

  uint64_t of(uint64_t chain) const;
  // Afterwards at least `value` of `chain` is known.
  void raise(uint64_t chain, uint64_t value);
  // Afterwards everything that `other` knows is known.
  void join(const Clock& other);

  // The two are one and the same, not only equal: cheap, and enough to see that nothing was new.
  bool same(const Clock& other) const { return root_ == other.root_; }

 private:
  Ref<const Node> root_;
  unsigned height_ = 0;  // how many levels of branches are above the values
};

}  // namespace cuvette::check
