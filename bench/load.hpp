// SPDX-License-Identifier: Apache-2.0
// A machine on which others compute: busy threads, twice as many as there are cores, as long as a
// Load lives. Rows whose names end in `_loaded` run beside it.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace cuvette::bench {

class Load {
 public:
  explicit Load(bool wanted) {
    if (!wanted) return;
    const unsigned count = 2 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        while (!ended_.load(std::memory_order_relaxed)) benchmark::ClobberMemory();
      });
    // Waits until every busy thread has had its first turns, as in programs that have run for some
    // time.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ~Load() {
    ended_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_;
};

// Whether the current row runs beside a load.
inline bool loaded_row = false;

// Registers `row` twice: by itself, and beside a load as `row`_loaded.
#define CUVETTE_BENCHMARK_ALSO_LOADED(row)                                       \
  BENCHMARK(row)->UseRealTime();                                                 \
  [[maybe_unused]] static auto* const row##_beside_load =                        \
      benchmark::RegisterBenchmark(#row "_loaded", [](benchmark::State& state) { \
        cuvette::bench::loaded_row = true;                                       \
        row(state);                                                              \
        cuvette::bench::loaded_row = false;                                      \
      })->UseRealTime()

}  // namespace cuvette::bench
