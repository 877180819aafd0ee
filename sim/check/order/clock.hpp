// SPDX-License-Identifier: Apache-2.0
// Clock: for each of any number of chains of events, how far it is known; 0 where nothing is.
//
// A clock is a value; copying it copies one reference. It is stored as an immutable tree with
// sixteen branches per node, and clocks share its parts: raising one chain copies one path, and
// joining two clocks looks only at where they differ. Ten thousand chains that all clocks know
// equally far are stored once.
//
// Threads: any may read; a Clock object itself belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/ref.hpp"

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
  // Makes at least `value` of `chain` known.
  void raise(uint64_t chain, uint64_t value);
  // Makes known everything that `other` knows.
  void join(const Clock& other);

  // Whether the two share one tree, which is more than being equal. Cheap, and enough to see that a
  // join brought nothing new.
  bool same(const Clock& other) const { return root_ == other.root_; }

 private:
  Ref<const Node> root_;
  unsigned height_ = 0;  // levels of branches above the values
};

}  // namespace cuvette::check
