// SPDX-License-Identifier: Apache-2.0
// Fourteen kernels, each next to the same work as a plain loop (the floor) and to PoCL, all on one
// core. Every result is compared with the loop's before anything is timed.
//
// CUVETTE_VECTORS chooses the vector units, the loop's as well. Counters: `floor_ns` the loop's
// time, `ratio` to it, `pocl_ratio` PoCL's ratio.
#include <benchmark/benchmark.h>
#include <sched.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "bench/floor.hpp"
#include "bench/kernels/device.hpp"
#include "bench/kernels/native.hpp"

namespace cuvette::bench {
namespace {

const NativeLoops& native_loops() {
  const char* const wanted = std::getenv("CUVETTE_VECTORS");
  const std::string vectors = wanted ? wanted : "";
  if (vectors == "sse") return native_sse;
  if (vectors == "avx2") return native_avx2;
  if (vectors == "avx512" || __builtin_cpu_supports("avx512dq")) return native_avx512;
  return __builtin_cpu_supports("avx2") ? native_avx2 : native_sse;
}

std::string read_file(const char* name) {
  std::ifstream file(std::string(CUVETTE_KERNELS "/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every element has four bytes, and all are kept in arrays of float.
using Array = std::vector<float>;
template <typename T>
T* as(Array& array) {
  return reinterpret_cast<T*>(array.data());
}

Array random_floats(size_t count) {
  std::minstd_rand next;
  Array values(count);
  for (float& value : values) value = static_cast<float>(next() % 65'536) / 65'536;
  return values;
}

Array random_integers(size_t count, unsigned below) {
  std::mt19937 next;
  Array values(count);
  for (float& value : values) value = std::bit_cast<float>(static_cast<unsigned>(next() % below));
  return values;
}

float sum_of(const Array& array) {
  double sum = 0;
  for (const float value : array) sum += value;
  return static_cast<float>(sum);
}

bool same_bits(const Array& one, const Array& other) {
  return std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}
bool nearly_same(const Array& one, const Array& other) {
  for (size_t i = 0; i < one.size(); ++i)
    if (!(std::abs(one[i] - other[i]) <= 1e-4f * (1 + std::abs(other[i])))) return false;
  return true;
}
bool same_sum(const Array& one, const Array& other) {
  return std::abs(sum_of(one) - sum_of(other)) <= 1e-3f * sum_of(other);
}
// A pixel on the edge may need another iteration where a product is rounded once instead of twice.
bool nearly_all_same(const Array& one, const Array& other) {
  size_t different = 0;
  for (size_t i = 0; i < one.size(); ++i)
    different += std::bit_cast<int>(one[i]) != std::bit_cast<int>(other[i]);
  return different * 50 < one.size();
}

struct Case {
  Launch launch;
  std::vector<Array> arrays;  // the launch's, in its order
  // The loop, over the arrays.
  std::function<void(std::vector<Array>&)> loop;
  bool (*same)(const Array&, const Array&) = nearly_same;
  // Which argument holds the result, and which of the arrays that is.
  size_t result = 0, result_array = 0;
};

// `arguments`: ints and floats stand for themselves, Arrays are kept.
class CaseMaker {
 public:
  CaseMaker(const char* kernel, unsigned grid_x, unsigned grid_y, unsigned block_x,
            unsigned block_y) {
    made_.launch = {kernel, {grid_x, grid_y}, {block_x, block_y}, {}};
  }
  CaseMaker& value(int value) { return bits(std::bit_cast<unsigned>(value)); }
  CaseMaker& value(float value) { return bits(std::bit_cast<unsigned>(value)); }
  CaseMaker& array(Array array) {
    made_.launch.arguments.push_back({});
    arrays_.push_back(made_.launch.arguments.size() - 1);
    made_.arrays.push_back(std::move(array));
    return *this;
  }
  CaseMaker& result(Array array) {
    made_.result = made_.launch.arguments.size();
    made_.result_array = made_.arrays.size();
    return this->array(std::move(array));
  }
  CaseMaker& compared_by(bool (*same)(const Array&, const Array&)) {
    made_.same = same;
    return *this;
  }
  Case loop(std::function<void(std::vector<Array>&)> loop) {
    made_.loop = std::move(loop);
    for (size_t i = 0; i < arrays_.size(); ++i)
      made_.launch.arguments[arrays_[i]].array = &made_.arrays[i];
    return std::move(made_);
  }

 private:
  CaseMaker& bits(unsigned scalar) {
    made_.launch.arguments.push_back({nullptr, scalar});
    return *this;
  }

  Case made_;
  std::vector<size_t> arrays_;  // the arguments that they are
};

constexpr int small = 1 << 16, large = 1 << 24, million = 1 << 20, side = 512, bodies = 4096;
constexpr int quarter = 1 << 18;

Case saxpy(int n) {
  return CaseMaker("saxpy", n / 256, 1, 256, 1)
      .value(2.f)
      .array(random_floats(n))
      .result(random_floats(n))
      .value(n)
      .loop([n](auto& a) { native_loops().saxpy(2.f, a[0].data(), a[1].data(), n); });
}
Case add() {
  return CaseMaker("add", small / 256, 1, 256, 1)
      .array(random_floats(small))
      .array(random_floats(small))
      .result(Array(small))
      .value(small)
      .loop([](auto& a) { native_loops().add(a[0].data(), a[1].data(), a[2].data(), small); });
}
Case stencil() {
  return CaseMaker("stencil", 1024 / 32, side / 8, 32, 8)
      .array(random_floats(1024 * side))
      .result(Array(1024 * side))
      .value(1024)
      .value(side)
      .loop([](auto& a) { native_loops().stencil(a[0].data(), a[1].data(), 1024, side); });
}
Case matmul(const char* kernel, int tile) {
  return CaseMaker(kernel, side / tile, side / tile, tile, tile)
      .array(random_floats(side * side))
      .array(random_floats(side * side))
      .result(Array(side * side))
      .value(side)
      .loop([](auto& a) { native_loops().matmul(a[0].data(), a[1].data(), a[2].data(), side); });
}
Case reduce() {
  return CaseMaker("reduce", 256, 1, 256, 1)
      .array(random_floats(million))
      .result(Array(256))
      .value(million)
      .compared_by(same_sum)
      .loop([](auto& a) { native_loops().reduce(a[0].data(), a[1].data(), million); });
}
Case nbody() {
  return CaseMaker("nbody", bodies / 256, 1, 256, 1)
      .array(random_floats(4 * bodies))
      .result(Array(4 * bodies))
      .value(bodies)
      .loop([](auto& a) { native_loops().nbody(as<Body>(a[0]), as<Body>(a[1]), bodies); });
}
Case mandelbrot() {
  return CaseMaker("mandelbrot", side / 16, side / 16, 16, 16)
      .result(Array(side * side))
      .value(side)
      .value(side)
      .value(256)
      .compared_by(nearly_all_same)
      .loop([](auto& a) { native_loops().mandelbrot(as<int>(a[0]), side, side, 256); });
}
Case histogram() {
  return CaseMaker("histogram", 64, 1, 256, 1)
      .array(random_integers(million, 0xFFFFFFFF))
      .result(Array(256))
      .value(million)
      .compared_by(same_bits)
      .loop([](auto& a) {
        native_loops().histogram(as<unsigned>(a[0]), as<unsigned>(a[1]), million);
      });
}
Case stride5() {
  return CaseMaker("stride5", quarter / 256, 1, 256, 1)
      .array(random_floats(5 * quarter))
      .result(Array(quarter))
      .value(quarter)
      .loop([](auto& a) { native_loops().stride5(a[0].data(), a[1].data(), quarter); });
}
Case gather() {
  return CaseMaker("gather", quarter / 256, 1, 256, 1)
      .array(random_integers(quarter, quarter))
      .array(random_floats(quarter))
      .result(Array(quarter))
      .value(quarter)
      .compared_by(same_bits)
      .loop(
          [](auto& a) { native_loops().gather(as<int>(a[0]), a[1].data(), a[2].data(), quarter); });
}

// Global atomics, next to a loop that counts for itself alone: what a thread of a loop with an
// array of its own for each thread does.
Case count_bytes() {
  constexpr int words = 16 << 20;
  return CaseMaker("count_bytes", 256, 1, 256, 1)
      .array(random_integers(words, 0xFFFFFFFF))
      .result(Array(256))
      .value(words)
      .compared_by(same_bits)
      .loop(
          [](auto& a) { native_loops().histogram(as<unsigned>(a[0]), as<unsigned>(a[1]), words); });
}
Case scatter_add() {
  constexpr int places = 4 << 20;
  return CaseMaker("scatter_add", million / 256, 1, 256, 1)
      .array(random_integers(million, places))
      .array(random_floats(million))
      .result(Array(places))
      .value(million)
      .loop([](auto& a) {
        native_loops().scatter_add(as<int>(a[0]), a[1].data(), a[2].data(), million);
      });
}

// This many launches per wait make the cost of the wait negligible.
double each_ns(Device& device, int launches) {
  return floor_ns([&] {
           for (int i = 0; i < launches; ++i) device.enqueue();
           device.finish();
         }) /
         launches;
}

// Returns the array that holds the result of `case_` after one launch.
Array result_of(Device& device, const Case& case_) {
  device.prepare(case_.launch);
  device.enqueue();
  device.finish();
  return device.result(case_.result);
}

struct Ratios {
  double product = 1, pocl_product = 1;
  int count = 0, pocl_count = 0;
} ratios;

void run(benchmark::State& state, Case (*make)()) {
  static const std::unique_ptr<Device> cuda = make_cuda_device(read_file("kernels.ptx"));
  static const std::unique_ptr<Device> pocl = make_pocl_device(read_file("kernels.cl"));
  Case with_arrays = make();
  std::vector<Array> native = with_arrays.arrays;
  with_arrays.loop(native);
  const Array& expected = native[with_arrays.result_array];
  if (!with_arrays.same(result_of(*cuda, with_arrays), expected))
    return state.SkipWithError("a wrong result");
  if (pocl && !with_arrays.same(result_of(*pocl, with_arrays), expected))
    return state.SkipWithError("a wrong result of PoCL's");

  const double floor = floor_ns([&] {
    with_arrays.loop(native);
    benchmark::ClobberMemory();
  });
  const int launches = floor < 100'000 ? 32 : 1;
  double total = 0;
  for (auto _ : state) {
    const double each = each_ns(*cuda, launches);
    state.SetIterationTime(each * 1e-9);
    total += each;
  }
  const double ratio = total / static_cast<double>(state.iterations()) / floor;
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = ratio;
  ratios.product *= ratio;
  ++ratios.count;
  if (!pocl) return;
  const double pocl_ratio = each_ns(*pocl, launches) / floor;
  state.counters["pocl_ratio"] = pocl_ratio;
  ratios.pocl_product *= pocl_ratio;
  ++ratios.pocl_count;
}

void row(const char* name, Case (*make)()) {
  benchmark::RegisterBenchmark(name, run, make)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace cuvette::bench

int main(int count, char** words) {
  using namespace cuvette::bench;
  // All three, and what they start, run on one core, because the loops use no more.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
  setenv("CUVETTE_WORKERS", "1", 0);
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
  row("saxpy_64K", [] { return saxpy(small); });
  row("saxpy_16M", [] { return saxpy(large); });
  row("add_64K", add);
  row("stencil", stencil);
  row("matmul16", [] { return matmul("matmul16", 16); });
  row("matmul32", [] { return matmul("matmul32", 32); });
  row("reduce", reduce);
  row("nbody", nbody);
  row("mandelbrot", mandelbrot);
  row("histogram", histogram);
  row("stride5", stride5);
  row("gather", gather);
  row("count_bytes", count_bytes);
  row("scatter_add", scatter_add);
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  if (ratios.count)
    std::printf("geometric mean of the ratios: %.2f\n",
                std::pow(ratios.product, 1.0 / ratios.count));
  if (ratios.pocl_count)
    std::printf("of PoCL's: %.2f\n", std::pow(ratios.pocl_product, 1.0 / ratios.pocl_count));
}
