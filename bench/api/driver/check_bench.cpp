// SPDX-License-Identifier: Apache-2.0
// The cost of checking each command for races and host accesses: run it with and without
// CUVETTE_CHECK, which the name of the counter says. Floor: an uncontended lock; of the rows that
// copy, memcpy.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

// Times bunches of `commands` commands. The settle() after each is not timed.
template <typename Bunch, typename Settle>
void measure(benchmark::State& state, double floor, double commands, const Bunch& bunch,
             const Settle& settle) {
  double spent = 0, bunches = 0;
  for (auto _ : state) {
    const double begin = now_ns();
    bunch();
    const double each = now_ns() - begin;
    spent += each;
    bunches += 1;
    state.SetIterationTime(each * 1e-9);
    settle();
  }
  const char* const check = std::getenv("CUVETTE_CHECK");
  const double each = spent / (bunches * commands);
  state.counters[check && *check ? "each_checked_ns" : "each_ns"] = each;
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = each / floor;
}

// Submits a fill, a record and a wait in each of two streams, in both directions.
void BM_races_two_streams(benchmark::State& state) {
  Streams streams;
  Buffer buffer(256);
  CUevent to, back;
  NEED(cuEventCreate(&to, CU_EVENT_DISABLE_TIMING));
  NEED(cuEventCreate(&back, CU_EVENT_DISABLE_TIMING));
  const double floor = lock_and_unlock();
  measure(
      state, floor, 600,
      [&] {
        for (int i = 0; i < 100; ++i) {
          NEED(cuMemsetD8Async(buffer.address, 1, 256, streams.a));
          NEED(cuEventRecord(to, streams.a));
          NEED(cuStreamWaitEvent(streams.b, to, 0));
          NEED(cuMemsetD8Async(buffer.address, 2, 256, streams.b));
          NEED(cuEventRecord(back, streams.b));
          NEED(cuStreamWaitEvent(streams.a, back, 0));
        }
      },
      [] { NEED(cuCtxSynchronize()); });
  NEED(cuEventDestroy(to));
  NEED(cuEventDestroy(back));
}
BENCHMARK(BM_races_two_streams)->UseManualTime();

// Makes each of many streams fill bytes of its own; then the host waits for all of them.
void BM_races_many_streams(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  Streams scene;
  Buffer buffer(count * 64);
  std::vector<CUstream> streams(count);
  for (CUstream& stream : streams) NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const double floor = lock_and_unlock();
  measure(
      state, floor, static_cast<double>(count),
      [&] {
        for (size_t i = 0; i < count; ++i)
          NEED(cuMemsetD8Async(buffer.address + 64 * i, 1, 64, streams[i]));
      },
      [] { NEED(cuCtxSynchronize()); });
  for (CUstream stream : streams) NEED(cuStreamDestroy(stream));
}
BENCHMARK(BM_races_many_streams)->Arg(10)->Arg(10'000)->UseManualTime();

// Copies pinned memory to a device and waits, which holds its pages and lets them go again.
void BM_host_copy_and_wait(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  Streams streams;
  Buffer buffer(bytes);
  void* pinned = nullptr;
  NEED(cuMemAllocHost(&pinned, bytes));
  std::vector<char> from(bytes, 1), to(bytes, 2);
  const double floor = floor_ns([&] {
    memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  });
  measure(
      state, floor, 1,
      [&] {
        NEED(cuMemcpyHtoDAsync(buffer.address, pinned, bytes, streams.a));
        NEED(cuStreamSynchronize(streams.a));
      },
      [] {});
  NEED(cuMemFreeHost(pinned));
}
BENCHMARK(BM_host_copy_and_wait)->Arg(4 << 10)->Arg(1 << 20)->Arg(64 << 20)->UseManualTime();

// A command of almost nothing, while that much device memory is populated: without protection keys,
// the check opens and closes all of it for each command.
void BM_host_small_fill_and_wait(benchmark::State& state) {
  Streams streams;
  Buffer buffer(static_cast<size_t>(state.range(0)));
  NEED(cuMemsetD8(buffer.address, 1, static_cast<size_t>(state.range(0))));
  const double floor = lock_and_unlock();
  measure(
      state, floor, 1,
      [&] {
        NEED(cuMemsetD8Async(buffer.address, 1, 64, streams.a));
        NEED(cuStreamSynchronize(streams.a));
      },
      [] {});
}
BENCHMARK(BM_host_small_fill_and_wait)->Arg(1 << 20)->Arg(64 << 20)->Arg(1 << 30)->UseManualTime();

}  // namespace
