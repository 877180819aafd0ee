// SPDX-License-Identifier: Apache-2.0
// Copying and filling, each beside the C library's memcpy and memset: "x_floor" is how many times
// their time it takes.
#include "sim/memory/copy.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/os/bytes.hpp"
#include "sim/os/clock.hpp"

namespace cuvette::memory {
namespace {

constexpr size_t MiB = 1 << 20;

DevicePtr address(std::vector<char>& bytes) { return reinterpret_cast<DevicePtr>(bytes.data()); }

template <typename Body>
double nanoseconds(size_t bytes, Body body) {
  const int calls = static_cast<int>(std::clamp<size_t>(64 * MiB / bytes, 1, 10000));
  double least = 1e18;
  for (int round = 0; round < 7; ++round) {
    const int64_t begin = os::now_ns();
    for (int i = 0; i < calls; ++i) body();
    least = std::min(least, static_cast<double>(os::now_ns() - begin) / calls);
  }
  return least;
}

void report(benchmark::State& state, double ours, double floor) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
  state.counters["ns"] = ours;
  state.counters["floor_ns"] = floor;
  state.counters["x_floor"] = ours / floor;
}

void copy(benchmark::State& state) {
  os::find_bytes_routines();
  const auto size = static_cast<size_t>(state.range(0));
  std::vector<char> from(size, 'x'), to(size, 'y');
  const Region target = Region::linear(address(to), size);
  const Region source = Region::linear(address(from), size);
  const auto ours = [&] {
    const size_t count = pieces(target);
    for (size_t index = 0; index < count; ++index) copy_piece(target, source, index, count);
    benchmark::ClobberMemory();
  };
  for (auto _ : state) ours();
  report(state, nanoseconds(size, ours), nanoseconds(size, [&] {
           memcpy(to.data(), from.data(), size);
           benchmark::ClobberMemory();
         }));
}
BENCHMARK(copy)->Arg(4)->Arg(48)->Arg(512)->Arg(4096)->Arg(65536)->Arg(MiB)->Arg(16 * MiB)->Arg(
    256 * MiB);

// Rows of 4 KiB, 8 KiB apart.
void copy_rows(benchmark::State& state) {
  os::find_bytes_routines();
  const auto size = static_cast<size_t>(state.range(0));
  const auto width = static_cast<size_t>(state.range(1));
  const size_t rows = size / width;
  std::vector<char> from(2 * size, 'x'), to(2 * size, 'y');
  const Region target{address(to), width, 2 * width, rows, 0, 1};
  const Region source{address(from), width, 2 * width, rows, 0, 1};
  const auto ours = [&] {
    copy_piece(target, source, 0, 1);
    benchmark::ClobberMemory();
  };
  for (auto _ : state) ours();
  report(state, nanoseconds(size, ours), nanoseconds(size, [&] {
           for (size_t row = 0; row < rows; ++row) {
             memcpy(to.data() + row * 2 * width, from.data() + row * 2 * width, width);
           }
           benchmark::ClobberMemory();
         }));
}
BENCHMARK(copy_rows)->Args({MiB, 16})->Args({MiB, 4096})->Args({16 * MiB, 4096});

void fill(benchmark::State& state) {
  os::find_bytes_routines();
  const auto size = static_cast<size_t>(state.range(0));
  const auto element = static_cast<size_t>(state.range(1));
  std::vector<char> to(size, 'y');
  const Region target = Region::linear(address(to), size);
  const auto ours = [&] {
    const size_t count = pieces(target);
    for (size_t index = 0; index < count; ++index) {
      fill_piece(target, 0x12345678, element, index, count);
    }
    benchmark::ClobberMemory();
  };
  for (auto _ : state) ours();
  report(state, nanoseconds(size, ours), nanoseconds(size, [&] {
           memset(to.data(), 0x78, size);
           benchmark::ClobberMemory();
         }));
}
BENCHMARK(fill)->ArgsProduct({{4, 512, 65536, MiB, 16 * MiB, 256 * MiB}, {1, 2, 4}});

}  // namespace
}  // namespace cuvette::memory
