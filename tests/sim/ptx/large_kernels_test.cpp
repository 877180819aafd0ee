// SPDX-License-Identifier: Apache-2.0
// What kernels of tens of thousands of instructions cost: the passes take time in proportion, so
// that a test of such sizes is possible at all.
#include "bench/sim/ptx/large_kernels.hpp"

#include <gtest/gtest.h>

#include "sim/ptx/parser.hpp"
#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/passes/needs.hpp"
#include "sim/ptx/passes/shapes.hpp"
#include "tests/sim/ptx/kernel.hpp"

extern "C" cuvette::ptx::CompileFunction cuvette_jit_compile;

namespace cuvette::ptx::test {
namespace {

class LargeKernels : public testing::TestWithParam<LargeKernel> {};

INSTANTIATE_TEST_SUITE_P(Shapes, LargeKernels, testing::ValuesIn(large_kernels()),
                         [](const auto& info) { return std::string(info.param.name); });

// What the passes say must hold wherever they have got it from.
void check(const Body& body, const Flow& flow, const Shapes& shapes, const Needs& needs) {
  std::vector<uint32_t> registers;
  for (BlockId b = 0; b < flow.blocks.size(); ++b) {
    const Block& block = flow.blocks[b];
    for (const BlockId next : block.successors) {
      if (next == exit_block) continue;
      // What a successor reads has come out of here; where edges lead back there is a loop.
      flow.blocks[next].live_in.each([&](uint32_t r) { ASSERT_TRUE(block.live_out.contains(r)); });
      bool around = false;
      flow.each_loop(b, [&](const Loop& loop) { return !(around = loop.contains(next)); });
      ASSERT_TRUE(next > b || around);
    }
    if (shapes.region[b] < 0) continue;
    // No number that is one for all lanes is written where others wait who need it.
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
  ASSERT_TRUE(inline_calls(module, *function, std::move(body), 4096, bodies, diagnostic));
  for (const OwnBody& one : bodies) {
    const Flow flow = find_flow(one.body);
    ASSERT_FALSE(flow.too_deep);
    const Shapes shapes = find_shapes(one.body, flow, BlockClass::of(256, 1, 1));
    check(one.body, flow, shapes, Needs(one.body, flow, shapes));
  }
}

// The tier that compiles quickly and the one that compiles well make the same of them.
TEST_P(LargeKernels, AreTheSameWhenCompiledQuickly) {
  const std::string text = GetParam().make(250);
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

}  // namespace
}  // namespace cuvette::ptx::test
