// SPDX-License-Identifier: Apache-2.0
// Ordering work: events, waits, host functions, and what queueing costs. Floors: an uncontended
// lock for what is only queued, a round trip between two threads for what another thread must do.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

// Hands a number to a spinning thread and back.
double round_trip() {
  std::atomic<uint64_t> there{0}, back{0};
  std::atomic<bool> stop{false};
  std::thread other([&] {
    uint64_t seen = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      const uint64_t now = there.load(std::memory_order_acquire);
      if (now == seen) continue;
      seen = now;
      back.store(now, std::memory_order_release);
    }
  });
  uint64_t number = 0;
  const double result = floor_ns([&] {
    there.store(++number, std::memory_order_release);
    while (back.load(std::memory_order_acquire) != number) {
    }
  });
  stop = true;
  other.join();
  return result;
}

// Records in batches, as a program does between two synchronisations; only the records are timed.
void BM_cuEventRecord_queued(benchmark::State& state) {
  Streams streams;
  CUevent event;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  constexpr int bunch = 1000;
  const double floor = lock_and_unlock();
  double spent = 0;
  for (auto _ : state) {
    const double begin = now_ns();
    for (int i = 0; i < bunch; ++i) cuEventRecord(event, streams.a);
    const double bunch_ns = now_ns() - begin;
    spent += bunch_ns;
    state.SetIterationTime(bunch_ns * 1e-9);
    cuStreamSynchronize(streams.a);
  }
  const double each = spent / static_cast<double>(state.iterations()) / bunch;
  state.counters["each_ns"] = each;
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = each / floor;
  cuEventDestroy(event);
}
BENCHMARK(BM_cuEventRecord_queued)->UseManualTime();

// a: work, record; b: wait, work, record; a: wait. Then the host waits for a.
void BM_two_streams_both_ways(benchmark::State& state) {
  Streams streams;
  Buffer buffer(64);
  CUevent to, back;
  NEED(cuEventCreate(&to, CU_EVENT_DISABLE_TIMING));
  NEED(cuEventCreate(&back, CU_EVENT_DISABLE_TIMING));
  const double floor = round_trip();
  against_floor(state, floor, [&] {
    cuMemsetD32Async(buffer.address, 1, 1, streams.a);
    cuEventRecord(to, streams.a);
    cuStreamWaitEvent(streams.b, to, 0);
    cuMemsetD32Async(buffer.address + 4, 2, 1, streams.b);
    cuEventRecord(back, streams.b);
    cuStreamWaitEvent(streams.a, back, 0);
    cuStreamSynchronize(streams.a);
  });
  cuEventDestroy(to);
  cuEventDestroy(back);
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_two_streams_both_ways);

void BM_record_and_synchronise(benchmark::State& state) {
  Streams streams;
  CUevent event;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  against_floor(state, round_trip(), [&] {
    cuEventRecord(event, streams.a);
    cuEventSynchronize(event);
  });
  cuEventDestroy(event);
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_record_and_synchronise);

void nothing(void*) {}

void BM_host_function_and_synchronise(benchmark::State& state) {
  Streams streams;
  against_floor(state, round_trip(), [&] {
    cuLaunchHostFunc(streams.a, nothing, nullptr);
    cuStreamSynchronize(streams.a);
  });
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_host_function_and_synchronise);

// Submits several and waits once; the time is the total.
void BM_300_host_functions_and_synchronise(benchmark::State& state) {
  Streams streams;
  against_floor(state, round_trip(), [&] {
    for (int i = 0; i < 300; ++i) cuLaunchHostFunc(streams.a, nothing, nullptr);
    cuStreamSynchronize(streams.a);
  });
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_300_host_functions_and_synchronise);

// The same after 10 ms of idleness: every thread of the device sleeps.
void BM_host_function_after_idleness(benchmark::State& state) {
  Streams streams;
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const double begin = now_ns();
    cuLaunchHostFunc(streams.a, nothing, nullptr);
    cuStreamSynchronize(streams.a);
    state.SetIterationTime((now_ns() - begin) * 1e-9);
  }
}
BENCHMARK(BM_host_function_after_idleness)->UseManualTime()->Iterations(100);

void BM_two_streams_after_idleness(benchmark::State& state) {
  Streams streams;
  Buffer buffer(64);
  CUevent event;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const double begin = now_ns();
    cuMemsetD32Async(buffer.address, 1, 1, streams.a);
    cuEventRecord(event, streams.a);
    cuStreamWaitEvent(streams.b, event, 0);
    cuMemsetD32Async(buffer.address, 2, 1, streams.b);
    cuStreamSynchronize(streams.b);
    state.SetIterationTime((now_ns() - begin) * 1e-9);
  }
  cuEventDestroy(event);
}
BENCHMARK(BM_two_streams_after_idleness)->UseManualTime()->Iterations(100);

// Queues commands after one that does not end: the cost of each, for any number.
std::atomic<bool> gate;
void wait_for_gate(void*) {
  while (!gate.load(std::memory_order_acquire)) std::this_thread::yield();
}

void BM_queue_depth(benchmark::State& state) {
  Streams streams;
  Buffer buffer(64);
  const int64_t depth = state.range(0);
  double queueing = 0;
  for (auto _ : state) {
    gate = false;
    NEED(cuLaunchHostFunc(streams.a, wait_for_gate, nullptr));
    const double begin = now_ns();
    for (int64_t i = 0; i < depth; ++i) cuMemsetD32Async(buffer.address, 1, 1, streams.a);
    queueing += now_ns() - begin;
    gate = true;
    NEED(cuStreamSynchronize(streams.a));
  }
  const auto commands = static_cast<double>(state.iterations() * depth);
  state.counters["queue_ns_each"] = queueing / commands;
  state.SetItemsProcessed(state.iterations() * depth);
}
BENCHMARK(BM_queue_depth)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime();

}  // namespace
