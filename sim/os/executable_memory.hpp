// SPDX-License-Identifier: Apache-2.0
// ExecutableMemory: pages that hold machine code. They are written once; after that they can only
// be read and executed.
//
// Threads: any; an object belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sim/base/error.hpp"

namespace cuvette::os {

class ExecutableMemory {
 public:
  // Errors: out_of_memory; operating_system where the system forbids such pages.
  static Result<ExecutableMemory> create(std::span<const uint8_t> code);

  ExecutableMemory() = default;
  ExecutableMemory(ExecutableMemory&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~ExecutableMemory();

  uint8_t* begin() const { return begin_; }
  size_t size() const { return size_; }  // of the pages

 private:
  uint8_t* begin_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cuvette::os
