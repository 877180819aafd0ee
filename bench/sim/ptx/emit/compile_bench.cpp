// SPDX-License-Identifier: Apache-2.0
// The time of a kernel's passes, and of its whole compilation, for each instruction. Floor: the
// same for a kernel of the same shape and 1,000 instructions, so that the ratio says how far from
// linear it is.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/floor.hpp"
#include "bench/sim/ptx/emit/large_kernels.hpp"
#include "sim/ptx/abi/jit.hpp"
#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/passes/needs.hpp"
#include "sim/ptx/passes/shapes.hpp"
#include "sim/ptx/syntax/parser.hpp"

extern "C" cuvette::ptx::CompileFunction cuvette_jit_compile;

namespace cuvette::ptx {
namespace {

using bench::now_ns;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "sim_ptx_bench: %s\n", why.c_str());
  std::exit(1);
}

// Nanoseconds of reading, flow, shapes and needs.
double pass_through(const std::string& text) {
  const double begin = now_ns();
  Module module;
  Diagnostic diagnostic;
  Body body;
  Bodies bodies;
  if (!read_module(text, UINT32_MAX, module, diagnostic) ||
      !read_body(module, *module.function("kernel"), body, diagnostic) ||
      !inline_calls(module, *module.function("kernel"), std::move(body),
                    {CompileRequest{}.most_in_place, CompileRequest{}.most_copied, true}, bodies,
                    diagnostic))
    fail(diagnostic.sentence());
  for (const OwnBody& one : bodies) {
    const Flow flow = find_flow(one.body);
    const Shapes shapes = find_shapes(one.body, flow, BlockClass::of(256, 1, 1));
    const Needs needs(one.body, flow, shapes);
    benchmark::DoNotOptimize(needs.waits(0, 0));
  }
  return now_ns() - begin;
}

double compile(const std::string& text) {
  CompileRequest request;
  request.text = text;
  request.entry = "kernel";
  request.block = BlockClass::of(256, 1, 1);
  request.vectors = __builtin_cpu_supports("avx512vl") ? Vectors::avx512
                    : __builtin_cpu_supports("avx2")   ? Vectors::avx2
                                                       : Vectors::sse;
  CompiledKernel result;
  const double begin = now_ns();
  cuvette_jit_compile(request, result);
  if (!result.error.empty()) fail(result.error);
  return now_ns() - begin;
}

void measure(benchmark::State& state, const test::LargeKernel& kernel,
             double (*run)(const std::string&), size_t size) {
  constexpr size_t small = 1'000;
  const std::string text = kernel.make(size), small_text = kernel.make(small);
  run(small_text);
  const double floor = run(small_text) / small;
  double all = 0;
  for (auto _ : state) all += run(text);
  const double each = all / static_cast<double>(state.iterations()) / static_cast<double>(size);
  state.counters["ns_per_instruction"] = each;
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = each / floor;
}

const bool registered = [] {
  for (const test::LargeKernel& kernel : test::large_kernels())
    for (const size_t size : {10'000, 60'000}) {
      const std::string row = std::string(kernel.name) + "/" + std::to_string(size);
      benchmark::RegisterBenchmark(("passes/" + row).c_str(), [&kernel, size](auto& state) {
        measure(state, kernel, pass_through, size);
      });
      benchmark::RegisterBenchmark(("compile/" + row).c_str(), [&kernel, size](auto& state) {
        measure(state, kernel, compile, size);
      })->Iterations(1);
    }
  return true;
}();

}  // namespace
}  // namespace cuvette::ptx
