// SPDX-License-Identifier: Apache-2.0
// Spinner: waiting a little while before sleeping, because waking a sleeping thread costs some 30
// µs and a hot one 1 µs.
#pragma once

#include <cstdint>

#include "sim/os/clock.hpp"

namespace cuvette::exec {

inline void pause_processor() { asm volatile("pause" ::: "memory"); }

class Spinner {
 public:
  // In nanoseconds. `usual` is about what a wake-up costs, so that at most twice the best is paid.
  static constexpr int64_t usual = 40'000, brief = 2'000;

  explicit Spinner(int64_t span) : span_(span) {}

  // Pauses for a moment; false once the span is over (and for every call after that).
  bool spin() {
    for (int i = 0; i < 16; ++i) pause_processor();
    const int64_t now = os::now_ns();
    if (until_ == 0) until_ = now + span_;
    return now < until_;
  }
  void restart() { until_ = 0; }

 private:
  int64_t span_;
  int64_t until_ = 0;
};

}  // namespace cuvette::exec
