// SPDX-License-Identifier: Apache-2.0
// The cost of kernels with tens of thousands of instructions: the passes must take linear time, or
// such tests would not be possible.
#include "bench/sim/ptx/emit/large_kernels.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/passes/needs.hpp"
#include "sim/ptx/passes/recursion.hpp"
#include "sim/ptx/passes/shapes.hpp"
#include "sim/ptx/syntax/parser.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

extern "C" cuvette::ptx::CompileFunction cuvette_jit_compile;

namespace cuvette::ptx::test {

void PrintTo(const LargeKernel& kernel, std::ostream* out) { *out << kernel.name; }

namespace {

class LargeKernels : public testing::TestWithParam<LargeKernel> {};

INSTANTIATE_TEST_SUITE_P(Shapes, LargeKernels, testing::ValuesIn(large_kernels()),
                         [](const auto& info) { return std::string(info.param.name); });

// Checks what must always hold of the passes' results.
void check(const Body& body, const Flow& flow, const Shapes& shapes, const Needs& needs) {
  std::vector<uint32_t> registers;
  for (BlockId b = 0; b < flow.blocks.size(); ++b) {
    const Block& block = flow.blocks[b];
    for (const BlockId next : block.successors) {
      if (next == exit_block) continue;
      // Whatever a successor reads is live out of this block; an edge backwards belongs to a loop.
      flow.blocks[next].live_in.each([&](uint32_t r) { ASSERT_TRUE(block.live_out.contains(r)); });
      bool around = false;
      flow.each_loop(b, [&](const Loop& loop) { return !(around = loop.contains(next)); });
      ASSERT_TRUE(next > b || around);
    }
    if (shapes.region[b] < 0) continue;
    // A register that is the same for all lanes is not written while waiting lanes need it.
    for (uint32_t i = block.first; i < block.end; ++i) {
      registers.clear();
      Flow::written(body.instructions[i], registers);
      for (const uint32_t r : registers)
        ASSERT_TRUE(shapes.registers[r].is_varying() || !needs.waits(b, r));
    }
  }
}

TEST_P(LargeKernels, ArePassedThrough) {
  Module module;
  Diagnostic diagnostic;
  ASSERT_TRUE(read_module(GetParam().make(60'000), UINT32_MAX, module, diagnostic));
  const Function* const function = module.function("kernel");
  Body body;
  ASSERT_TRUE(read_body(module, *function, body, diagnostic)) << diagnostic.sentence();
  Bodies bodies;
  ASSERT_TRUE(
      inline_calls(module, *function, std::move(body), {4096, 12288, true}, bodies, diagnostic));
  for (const OwnBody& one : bodies) {
    const Flow flow = find_flow(one.body);
    ASSERT_FALSE(flow.too_deep);
    const Shapes shapes = find_shapes(one.body, flow, BlockClass::of(256, 1, 1));
    check(one.body, flow, shapes, Needs(one.body, flow, shapes));
  }
}

// The quick tier and the optimising tier give the same results.
TEST_P(LargeKernels, AreTheSameWhenCompiledQuickly) {
  const std::string text = GetParam().make(160);
  for (const Vectors vectors : vectors_here()) {
    std::vector<uint32_t> results[2];
    for (const bool quickly : {false, true}) {
      CompileRequest request;
      request.most_optimised = quickly ? 0 : UINT32_MAX;
      Kernel kernel(text, "kernel", vectors, {.threads = {96, 1, 1}}, request);
      results[quickly].resize(96, 7);
      ASSERT_EQ(kernel(results[quickly].data()), Status::finished);
    }
    EXPECT_EQ(results[0], results[1]) << name_of(vectors);
  }
}

// GCC puts its runtime into each kernel that it offloads. What such a kernel keeps across a barrier
// would be too much for a thread's stack.
TEST(Compiler, KeepsMoreInAFrameThanAStackHolds) {
  constexpr uint32_t registers = 4200, threads = 64;  // each takes 256 bytes per warp
  constexpr uint64_t bits = 1364136223846793005, step = 1442695040888963407;
  const auto name = [](uint32_t n) { return "%r" + std::to_string(n); };
  // %to = (%from ^ %with) + step: short, and no two of them become one.
  const auto mix = [&](const std::string& to, const std::string& from, const std::string& with) {
    return "xor.b64 " + to + ", " + from + ", " + with + "; add.u64 " + to + ", " + to + ", " +
           std::to_string(step) + ";\n";
  };
  std::string body = ".reg .b64 %r<" + std::to_string(registers) +
                     ">, %sum, %d<3>; .reg .b32 %t; .reg .pred %p;\n"
                     "mov.u32 %t, %tid.x; cvt.u64.u32 %d1, %t; xor.b64 %r0, %d1, 12345;\n";
  for (uint32_t n = 1; n < registers; ++n) {
    body += mix(name(n), name(n - 1), std::to_string(bits));
    // Ends blocks early, since LLVM takes long for large ones.
    if (n % 20 == 0) body += "setp.eq.u64 %p, " + name(n) + ", 5; @%p bra end;\n";
  }
  body += "bar.sync 0; mov.u64 %sum, 0;\n";
  for (uint32_t n = 0; n < registers; ++n) {
    body += mix("%sum", "%sum", name(n));
    if (n % 20 == 10) body += "setp.eq.u64 %p, " + name(n) + ", 5; @%p bra end;\n";
  }
  body +=
      "ld.param.u64 %d0, [out]; shl.b64 %d1, %d1, 3; add.u64 %d2, %d0, %d1;"
      "st.global.u64 [%d2], %sum; end: ret;";
  CompileRequest request;
  request.most_optimised = 0;
  Kernel kernel(module_of(".param .u64 out", body), "kernel", vectors_here().back(),
                {.threads = {threads, 1, 1}}, request);
  std::vector<uint64_t> out(threads);
  ASSERT_EQ(kernel(out.data()), Status::finished);
  for (uint32_t thread = 0; thread < threads; ++thread) {
    uint64_t value = thread ^ 12345, sum = 0;
    for (uint32_t n = 0; n < registers; ++n, value = (value ^ bits) + step)
      sum = (sum ^ value) + step;
    ASSERT_EQ(out[thread], sum) << "thread " << thread;
  }
}

TEST(Compiler, RefusesWhatIsNestedTooDeeply) {
  std::string body = ".reg .pred %p; .reg .b32 %r<3>; mov.u32 %r0, %tid.x;\n";
  for (uint32_t loop = 0; loop <= most_nested_loops; ++loop)
    body += "L" + std::to_string(loop) + ": add.u32 %r0, %r0, 3;\n";
  for (uint32_t loop = most_nested_loops + 1; loop-- > 0;)
    body +=
        "shr.u32 %r0, %r0, 1; setp.gt.u32 %p, %r0, 100; @%p bra L" + std::to_string(loop) + ";\n";
  const std::string text = module_of("", body);
  CompileRequest request;
  request.text = text;
  request.entry = "kernel";
  CompiledKernel result;
  cuvette_jit_compile(request, result);
  EXPECT_NE(result.error.find("more than 500 loops"), std::string::npos) << result.error;
}

// Returns the text's error, after at most some seconds of work.
std::string error_of(const std::string& text) {
  CompileRequest request;
  request.text = text;
  request.entry = "kernel";
  request.vectors = vectors_here().back();
  CompiledKernel result;
  const std::clock_t begin = std::clock();
  cuvette_jit_compile(request, result);
  EXPECT_LT(std::clock() - begin, 60 * CLOCKS_PER_SEC);
  return result.error;
}

std::string chain_of_calls(size_t functions) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.func f0() { ret; }\n";
  for (size_t n = 1; n < functions; ++n)
    text += ".func f" + std::to_string(n) + "() { call f" + std::to_string(n - 1) + "; ret; }\n";
  return text + ".visible .entry kernel() { call f" + std::to_string(functions - 1) + "; ret; }\n";
}

TEST(Compiler, RefusesCallsThatAreNestedTooDeeply) {
  // The kernel is on top.
  Kernel kernel(chain_of_calls(most_nested_calls - 1), "kernel", vectors_here().back());
  EXPECT_EQ(kernel(), Status::finished);
  for (const size_t functions : {most_nested_calls, size_t{20'000}}) {
    const std::string error = error_of(chain_of_calls(functions));
    EXPECT_NE(error.find("more than 1000 deep"), std::string::npos) << error;
  }
}

std::string jump_to(size_t targets) {
  std::string text = ".reg .b32 %r<3>; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\nT: .branchtargets L0";
  for (size_t n = 1; n < targets; ++n) text += ", L" + std::to_string(n);
  text += ";\nbrx.idx %r0, T;\n";
  for (size_t n = 0; n < targets; ++n)
    text += "L" + std::to_string(n) + ": add.u32 %r1, %r1, " + std::to_string(n) + "; bra END;\n";
  return module_of("", text + "END: ret;");
}

TEST(Compiler, TakesJumpsToManyPlaces) {
  EXPECT_EQ(error_of(jump_to(600)), "");
  EXPECT_NE(error_of(jump_to(50'000)).find("8192 are the most"), std::string::npos);
}

TEST(Compiler, TakesBranchesToAnywhere) {
  std::mt19937 random(7);
  constexpr uint32_t branches = 400;
  std::string text = ".reg .b32 %r<3>; .reg .pred %p; mov.u32 %r0, %tid.x; mov.u32 %r1, 7;\n";
  for (uint32_t n = 0; n < branches; ++n)
    text += "L" + std::to_string(n) + ": mad.lo.u32 %r1, %r1, 1664525, " + std::to_string(n) +
            "; add.u32 %r1, %r1, %r0; and.b32 %r2, %r1, " + std::to_string(1u << random() % 20) +
            "; setp.eq.u32 %p, %r2, 0; @%p bra L" + std::to_string(random() % branches) + ";\n";
  EXPECT_EQ(error_of(module_of("", text + "ret;")), "");
}

// Functions that reach each other are a component, however many they are.
TEST(Compiler, FindsComponentsOfManyFunctions) {
  std::vector<Function> functions(30'000);
  CallGraph ring, chain;
  for (size_t n = 0; n < functions.size(); ++n) {
    ring[&functions[n]] = {&functions[(n + 1) % functions.size()]};
    chain[&functions[n]] = {};
    if (n > 0) chain[&functions[n]] = {&functions[n - 1]};
  }
  EXPECT_EQ(find_recursion(ring).size(), functions.size());
  EXPECT_TRUE(find_recursion(chain).empty());
  const auto order = callees_first(chain, functions.back());
  ASSERT_EQ(order.size(), functions.size());
  for (size_t n = 0; n < order.size(); ++n) ASSERT_EQ(order[n], &functions[n]);
}

}  // namespace
}  // namespace cuvette::ptx::test
