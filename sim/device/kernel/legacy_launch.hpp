// SPDX-License-Identifier: Apache-2.0
// LegacyLaunch: launches in the style before CUDA 4.0, which first set shape and parameters in the
// function.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"

namespace cuvette::device {

class LegacyLaunch {
 public:
  static constexpr size_t most_parameter_bytes = 32'764;

  void set_block(uint32_t x, uint32_t y, uint32_t z) EXCLUDES(mutex_);
  void set_shared(uint32_t bytes) EXCLUDES(mutex_);
  // Errors: invalid_value beyond most_parameter_bytes.
  Result<> set_parameter_bytes(size_t bytes) EXCLUDES(mutex_);
  Result<> set_parameter(size_t offset, const void* value, size_t bytes) EXCLUDES(mutex_);

  struct Settings {
    uint32_t block[3] = {1, 1, 1};
    uint32_t shared = 0;
    std::vector<std::byte> parameters;
  };
  Settings settings() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  Settings settings_ GUARDED_BY(mutex_);
  size_t parameter_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::device
