// SPDX-License-Identifier: Apache-2.0
// The options of loading and linking: what a program requests, and where it wants results
// written.
//
// Threads: an object belongs to one thread at a time.
#pragma once

#include "api/driver/cuda.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/error.hpp"

namespace cuvette::driver {

// The kinds of code that a file may hold.
constexpr size_t most_file_bytes = size_t{1} << 30;

// Whether the program names nothing.
constexpr bool no_name(const char* name) { return !name || !*name; }

class JitOptions {
 public:
  JitOptions() = default;
  // Reads the program's arrays; report() writes to the places for answers in `values`. Errors: as
  // an H200's driver; invalid_value for unknown options.
  static Result<JitOptions> read(unsigned count, const CUjit_option* options, void** values);

  // The compute capability to compile for; the device's unless the program sets one.
  uint32_t target(uint32_t device) const { return target_.value_or(device); }

  // CU_JIT_MAX_REGISTERS; 0: any number.
  uint32_t most_registers() const { return most_registers_; }

  // Writes the program's answers: `errors` to its error log, nothing to its information log, and
  // the time since read().
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
  uint32_t most_registers_ = 0;
  Log errors_, information_;
  void** wall_time_ = nullptr;
  int64_t begin_ns_ = 0;
};

}  // namespace cuvette::driver
