// SPDX-License-Identifier: Apache-2.0
// SparseMemory: a large range of zeros of which most is never touched, and which takes memory only
// where it is.
//
// Threads: any; an object belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/base/error.hpp"

namespace cuvette::os {

class SparseMemory {
 public:
  // Errors: out_of_memory, also where the system counts what is never touched (`ulimit -v`).
  static Result<SparseMemory> create(size_t size);

  SparseMemory(SparseMemory&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  SparseMemory& operator=(SparseMemory&&) = delete;
  ~SparseMemory();

  uint8_t* begin() const { return begin_; }
  size_t size() const { return size_; }

 private:
  SparseMemory() = default;

  uint8_t* begin_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cuvette::os
