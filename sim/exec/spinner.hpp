// SPDX-License-Identifier: Apache-2.0
// Spinner: waits a little while before a thread sleeps, because handing work to a sleeping thread
// costs some 30 µs and to a spinning one 1 µs. Oversubscription: whether more threads want to run
// than there are processors, so that spinning costs more than it saves.
//
// A thread that spins takes time from the thread it waits for if that one has no processor. The
// system does not report whether a thread has one, but it shows: a spinning thread loses its own,
// and a woken thread gets one late. From then on no thread here spins for a while, and longer each
// time it shows again.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/os/clock.hpp"

namespace cuvette::exec {

inline void pause_processor() { asm volatile("pause" ::: "memory"); }

class Oversubscription {
 public:
  // In nanoseconds. Our threads take turns of some tens of microseconds; other threads that compute
  // keep a processor for milliseconds.
  static constexpr int64_t long_turn = 300'000;

  // Whether more threads want to run than there are processors, as far as is known.
  static bool seen(int64_t now) { return now < until_.load(std::memory_order_relaxed); }
  static bool seen() {
    // Usually nothing was ever noticed, and the clock need not be read.
    return until_.load(std::memory_order_relaxed) != 0 && seen(os::now_ns());
  }

  // Notes that a thread of ours wanted to run and did not from `since` to `now`.
  static void waited(int64_t since, int64_t now) {
    if (now - since > long_turn) [[unlikely]]
      notice(now);
  }

 private:
  static constexpr int64_t shortest = 5'000'000, longest = 500'000'000;
  static void notice(int64_t now);

  static std::atomic<int64_t> until_;
  static std::atomic<int64_t> span_;
};

class Spinner {
 public:
  // In nanoseconds. `usual` is about what a wake-up costs, so a wait costs at most twice the best
  // choice.
  static constexpr int64_t usual = 40'000, brief = 2'000;

  explicit Spinner(int64_t span) : span_(span) {}

  // Pauses for a moment; false once the span is over (and for every call after that), or if others
  // want the processor.
  bool spin() {
    const int64_t begun = os::now_ns();
    if (Oversubscription::seen(begun)) return false;
    for (int i = 0; i < 16; ++i) pause_processor();
    const int64_t now = os::now_ns();
    Oversubscription::waited(begun, now);
    if (until_ == 0) until_ = begun + span_;
    return now < until_;
  }
  void restart() { until_ = 0; }

 private:
  int64_t span_;
  int64_t until_ = 0;
};

}  // namespace cuvette::exec
