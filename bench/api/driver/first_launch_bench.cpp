// SPDX-License-Identifier: Apache-2.0
// The start-up time of a program: loading libcuda.so.1, and the first launch of a kernel of 250
// instructions, which is compiled or found in the cache.
//
// Each round is a separate process, this program again. Floors: loading a small library of the C
// library's; reading the compiler's file; reading the file that the cache keeps.
#include <benchmark/benchmark.h>
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/floor.hpp"

namespace cuvette::bench {
namespace {

const char* const libcuda = CUVETTE_LIBCUDA;
const char* const compiler = CUVETTE_COMPILER;
const char* const small_library = "libanl.so.1";

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "first_launch_bench: %s\n", what);
  std::exit(1);
}

// The kernel: loads, arithmetic, conversions and divergent branches; 11 instructions, and 24 times
// 10.
std::string kernel() {
  std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry work(.param .u64 data) {
  .reg .pred %p<3>; .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f3F800000;
  mov.u32 %r3, 0;
)";
  for (int round = 0; round < 24; ++round) {
    const std::string n = std::to_string(round);
    text += "  ld.global.f32 %f1, [%rd3+" + std::to_string(128 * round) + "];\n" +
            "  fma.rn.f32 %f2, %f1, %f3, %f2;\n" + "  cvt.rzi.s32.f32 %r2, %f1;\n" +
            "  add.s32 %r3, %r3, %r2;\n" + "  xor.b32 %r4, %r3, " + n + ";\n" +
            "  shl.b32 %r3, %r4, 1;\n" + "  setp.gt.f32 %p1, %f2, 0f3F800000;\n" + "  @%p1 bra L" +
            n + ";\n" + "  mul.f32 %f2, %f2, 0f3F000000;\n" + "L" + n + ":\n" +
            "  max.f32 %f3, %f2, %f1;\n";
  }
  return text + R"(
  cvt.rn.f32.s32 %f4, %r3;
  add.f32 %f5, %f4, %f2;
  st.global.f32 [%rd3], %f5;
  ret;
})";
}

template <typename Function>
Function* function(void* library, const char* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(library, name));
  if (!found) fail(name);
  return found;
}
#define CALL(name, ...) \
  if (function<decltype(name)>(library, CUVETTE_BENCH_STRING(name))(__VA_ARGS__)) fail(#name)
#define CUVETTE_BENCH_STRING(name) CUVETTE_BENCH_STRING_OF(name)
#define CUVETTE_BENCH_STRING_OF(name) #name

// Runs in its own process and returns nanoseconds.
double load(const char* name) {
  const double begin = now_ns();
  if (!dlopen(name, RTLD_NOW)) fail(dlerror());
  return now_ns() - begin;
}

double launch() {
  void* const library = dlopen(libcuda, RTLD_NOW);
  if (!library) fail(dlerror());
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction work;
  CUdeviceptr data;
  CALL(cuInit, 0);
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuMemAlloc, &data, 8192);
  CALL(cuModuleLoadData, &module, kernel().c_str());
  CALL(cuModuleGetFunction, &work, module, "work");
  void* arguments[] = {&data};
  const double begin = now_ns();
  CALL(cuLaunchKernel, work, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  CALL(cuCtxSynchronize);
  return now_ns() - begin;
}

// Returns what this program prints when it is run with these words.
double ask(const std::string& words, const std::string& cache = "off") {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) fail("/proc/self/exe");
  const std::string command = "CUVETTE_CACHE='" + cache + "' '" +
                              std::string(self, static_cast<size_t>(length)) + "' --round " + words;
  FILE* const output = popen(command.c_str(), "r");
  double answer = 0;
  if (!output || std::fscanf(output, "%lf", &answer) != 1 || pclose(output) != 0)
    fail(words.c_str());
  return answer;
}

double time_to_read(const std::string& file) {
  return floor_ns([&] {
    std::ifstream in(file, std::ios::binary);
    static char bytes[1 << 16];
    while (in.read(bytes, sizeof bytes) || in.gcount() > 0) benchmark::DoNotOptimize(bytes[0]);
  });
}

class Directory {
 public:
  Directory() {
    if (!mkdtemp(path_)) fail("mkdtemp");
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_; }
  std::string file() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().extension() == ".kernel") return entry.path();
    fail("the cache is empty");
  }

 private:
  char path_[32] = "/tmp/first_launch_XXXXXX";
};

template <typename Round>
void rounds(benchmark::State& state, double floor, const Round& round) {
  double total = 0;
  for (auto _ : state) {
    const double each = round();
    state.SetIterationTime(each * 1e-9);
    total += each;
  }
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = total / static_cast<double>(state.iterations()) / floor;
}

void BM_load_libcuda(benchmark::State& state) {
  double floor = 0;
  for (int i = 0; i < 10; ++i) floor += ask("small") / 10;
  rounds(state, floor, [] { return ask("libcuda"); });
}
BENCHMARK(BM_load_libcuda)->UseManualTime()->Iterations(20)->Unit(benchmark::kMicrosecond);

void BM_first_launch_compiled(benchmark::State& state) {
  rounds(state, time_to_read(compiler), [] {
    const Directory cache;
    return ask("launch", cache.path());
  });
}
BENCHMARK(BM_first_launch_compiled)->UseManualTime()->Iterations(20)->Unit(benchmark::kMicrosecond);

void BM_first_launch_from_cache(benchmark::State& state) {
  const Directory cache;
  ask("launch", cache.path());
  rounds(state, time_to_read(cache.file()), [&] { return ask("launch", cache.path()); });
}
BENCHMARK(BM_first_launch_from_cache)
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cuvette::bench

int main(int count, char** words) {
  using namespace cuvette::bench;
  if (count == 3 && std::string(words[1]) == "--round") {
    const std::string what = words[2];
    const double time = what == "small"     ? load(small_library)
                        : what == "libcuda" ? load(libcuda)
                                            : launch();
    std::printf("%.0f\n", time);
    return 0;
  }
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
}
