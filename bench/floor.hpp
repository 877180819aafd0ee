// SPDX-License-Identifier: Apache-2.0
// The floor of a benchmark, to compare it with: measured in the same run, right before it.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "bench/load.hpp"

namespace cuvette::bench {

inline double now_ns() {
  return static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Returns the nanoseconds of one call of `body`: the median of nine rounds of about 3 ms each.
template <typename Body>
double floor_ns(Body body) {
  int64_t calls = 1;
  for (;; calls *= 4) {
    const double begin = now_ns();
    for (int64_t i = 0; i < calls; ++i) body();
    if (now_ns() - begin > 3e6) break;
  }
  std::array<double, 9> rounds;
  for (double& round : rounds) {
    const double begin = now_ns();
    for (int64_t i = 0; i < calls; ++i) body();
    round = (now_ns() - begin) / static_cast<double>(calls);
  }
  std::nth_element(rounds.begin(), rounds.begin() + 4, rounds.end());
  return rounds[4];
}

// A floor for anything that takes a lock.
inline double lock_and_unlock() {
  std::mutex mutex;
  return floor_ns([&] {
    mutex.lock();
    benchmark::ClobberMemory();
    mutex.unlock();
  });
}

// Runs the benchmark's loop and reports, beside its time, the floor's and the ratio of the two. The
// floor is measured on an idle machine; the loop runs beside a load if the row asks for one.
template <typename Body>
void against_floor(benchmark::State& state, double floor, Body body) {
  const Load load(loaded_row);
  const double begin = now_ns();
  for (auto _ : state) body();
  const double each = (now_ns() - begin) / static_cast<double>(state.iterations());
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = each / floor;
}

}  // namespace cuvette::bench
