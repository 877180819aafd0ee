// SPDX-License-Identifier: Apache-2.0
// The options of loading and linking: what a program wants, and where it wants to be told of what.
//
// Threads: an object belongs to one thread at a time.
#pragma once

#include "api/driver/cuda.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "sim/error.hpp"

namespace cuvette::driver {

class JitOptions {
 public:
  JitOptions() = default;
  // The arrays are the program's; places for answers in `values` are written to by report().
  // Errors: as an H200's driver answers; invalid_value for what is no option.
  static Result<JitOptions> read(unsigned count, const CUjit_option* options, void** values);

  // The compute capability to compile for; the device's if none is asked for.
  uint32_t target(uint32_t device) const { return target_.value_or(device); }

  // Tells the program: `errors` into its error log, nothing into its log of information, and the
  // time since read().
  void report(const std::string& errors) const;

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;
    bool wanted = false;  // either of the two was given
    size_t capacity = 0;
    bool complete() const { return !wanted || (size && (buffer || capacity == 0)); }
    void write(const std::string& text) const;
  };

  std::optional<uint32_t> target_;
  Log errors_, information_;
  void** wall_time_ = nullptr;
  int64_t begin_ns_ = 0;
};

}  // namespace cuvette::driver
