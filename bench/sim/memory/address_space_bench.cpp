// SPDX-License-Identifier: Apache-2.0
// Mapping external memory, allocating and finding, each beside the system calls that it cannot do
// without: "x_floor" is how many times the floor's time it takes.
#include "sim/memory/address_space.hpp"

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "sim/os/clock.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::memory {
namespace {

constexpr size_t KiB = 1 << 10, MiB = 1 << 20;
constexpr size_t GiB = 1 << 30;

AddressSpace& space() {
  static AddressSpace* const instance =
      AddressSpace::create({{141 * GiB}, Fill::edges}).value().release();
  return *instance;
}

// Returns the nanoseconds of one call of `body`: the least of several rounds' means.
template <typename Body>
double nanoseconds(int calls, Body body) {
  double least = 1e18;
  for (int round = 0; round < 9; ++round) {
    const int64_t begin = os::now_ns();
    for (int i = 0; i < calls; ++i) body();
    least = std::min(least, static_cast<double>(os::now_ns() - begin) / calls);
  }
  return least;
}

void report(benchmark::State& state, double ours, double floor) {
  state.counters["ns"] = ours;
  state.counters["floor_ns"] = floor;
  state.counters["x_floor"] = ours / floor;
}

// mmap, pkey_mprotect and munmap of the same bytes.
void map_raw(const os::Segment& segment, size_t size) {
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, segment.fd(), 0);
  if (os::has_device_key()) {
    pkey_mprotect(at, size, PROT_READ | PROT_WRITE, os::detail::device_key);
  }
  munmap(at, size);
}

void map_external_and_free(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  auto segment = os::Segment::create("bench", size).value();
  const auto ours = [&] {
    (void)space().free(space().map_external({segment, 0, size}, {}).value());
  };
  for (auto _ : state) ours();
  report(state, nanoseconds(1000, ours), nanoseconds(1000, [&] { map_raw(*segment, size); }));
}
BENCHMARK(map_external_and_free)
    ->Arg(4 * KiB)
    ->Arg(64 * KiB)
    ->Arg(2 * MiB)
    ->Arg(256 * MiB)
    ->Arg(8 * GiB);

// Its floor is the C library's allocator, which fills nothing.
void allocate_and_free(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  const auto ours = [&] { (void)space().free(space().allocate(size, {}).value()); };
  for (auto _ : state) ours();
  report(state, nanoseconds(1000, ours), nanoseconds(1000, [&] {
           void* const block = ::operator new(size);
           benchmark::DoNotOptimize(block);
           ::operator delete(block);
         }));
}
BENCHMARK(allocate_and_free)->Arg(1)->Arg(4 * KiB)->Arg(64 * KiB)->Arg(1 * MiB)->Arg(256 * MiB);

// The same without filling, among many other allocations.
void heap_take_and_give(benchmark::State& state) {
  auto crowded = AddressSpace::create({{141 * GiB}, Fill::none}).value();
  std::vector<Ref<Allocation>> others;
  for (int64_t i = 0; i < state.range(0); ++i) {
    others.push_back(crowded->allocate(static_cast<size_t>(i % 37 + 1) * 512, {}).value());
  }
  for (size_t i = 0; i < others.size(); i += 2) (void)crowded->free(others[i]);
  const auto ours = [&] { (void)crowded->free(crowded->allocate(4096, {}).value()); };
  for (auto _ : state) ours();
  state.counters["ns"] = nanoseconds(1000, ours);
}
BENCHMARK(heap_take_and_give)->Arg(1)->Arg(300)->Arg(100000);

// Its floor is the binary search alone, in one sorted array.
void find(benchmark::State& state) {
  std::vector<Ref<Allocation>> all;
  std::vector<DevicePtr> begins;
  for (int64_t i = 0; i < state.range(0); ++i) {
    all.push_back(space().allocate(64 * KiB, {}).value());
    begins.push_back(all.back()->address);
  }
  std::sort(begins.begin(), begins.end());
  size_t next = 0;
  const auto address = [&] { return begins[next = (next + 7919) % begins.size()] + 1000; };
  const auto ours = [&] { benchmark::DoNotOptimize(space().find(address())); };
  for (auto _ : state) ours();
  report(state, nanoseconds(10000, ours), nanoseconds(10000, [&] {
           benchmark::DoNotOptimize(std::upper_bound(begins.begin(), begins.end(), address()));
         }));
  for (const auto& allocation : all) (void)space().free(allocation);
}
BENCHMARK(find)->Arg(1)->Arg(300)->Arg(100000);

void find_while_others_look(benchmark::State& state) {
  static const auto* const allocation = new Ref<Allocation>(space().allocate(MiB, {}).value());
  for (auto _ : state) benchmark::DoNotOptimize(space().find((*allocation)->address + 5));
}
BENCHMARK(find_while_others_look)->ThreadRange(1, 2)->UseRealTime();

void touch_what_is_touched(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  auto allocation = space().allocate(size, {}).value();
  const Region region = Region::linear(allocation->address, size);
  const auto ours = [&] { benchmark::DoNotOptimize(space().touch(*allocation, region).ok()); };
  for (auto _ : state) ours();
  state.counters["ns"] = nanoseconds(10000, ours);
  (void)space().free(allocation);
}
BENCHMARK(touch_what_is_touched)->Arg(4)->Arg(256 * MiB);

}  // namespace
}  // namespace cuvette::memory
