// SPDX-License-Identifier: Apache-2.0
// Operands that are computed: constant expressions, elements of arrays, registers plus a number;
// and spaces that follow from a variable's name.
#include "sim/ptx/syntax/operand_parser.hpp"

#include <random>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Operands : public testing::TestWithParam<Vectors> {
 protected:
  // What the threads leave in %rd9.
  std::vector<uint64_t> run(const std::string& body, const std::string& before = "",
                            uint32_t threads = 32) {
    std::vector<uint64_t> out(threads, 0xdead);
    const std::string text = module_of(".param .u64 out, .param .align 8 .b8 pa[32]", R"(
      .reg .pred %p<4>; .reg .b16 %h<8>; .reg .s16 %s<4>; .reg .b32 %r<30>; .reg .b64 %rd<20>;
      .local .align 8 .b16 lo[8]; .shared .align 8 .b32 sh[64];
      ld.param.u64 %rd0, [out];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 8;
      add.s64 %rd1, %rd0, %rd2;
    )" + body + "\nst.global.u64 [%rd1], %rd9; ret;",
                                       before);
    Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {threads, 1, 1}});
    kernel.place("table", table_);
    const uint64_t address = reinterpret_cast<uint64_t>(out.data());
    uint8_t parameters[40];
    memcpy(parameters, &address, 8);
    for (uint8_t n = 8; n < 40; ++n) parameters[n] = n;
    EXPECT_EQ(kernel.run(parameters), Status::finished) << body;
    return out;
  }
  uint64_t constant(const std::string& expression) {
    return run("mov.u64 %rd9, " + expression + ";")[0];
  }

  uint32_t table_[64] = {};
};

// The values are those of ptxas.
TEST_P(Operands, ConstantExpressions) {
  const std::pair<const char*, uint64_t> expressions[] = {
      {"1+2*3", 7},
      {"0x10 << 2", 64},
      {"-7 / 2", uint64_t(-3)},
      {"-7 % 3", 0},
      {"7% -3", 7},
      {"-1 >> 63", uint64_t(-1)},
      {"0xFFFFFFFFFFFFFFFF >> 63", 1},
      {"0xFFFFFFFFFFFFFFFF / 2", 0x7fffffffffffffff},
      {"-1 < 0", 1},
      {"0xFFFFFFFFFFFFFFFF < 0", 0},
      {"-1 > 1U", 1},
      {"-1 <= 0U", 0},
      {"~0 > 0", 1},
      {"~0 >> 63", 1},
      {"-1 ? 2 : 3", 2},
      {"1 << 64", 1},
      {"1 << 65", 2},
      {"1 << -1", 0x8000000000000000},
      {"-8 >> 65", uint64_t(-4)},
      {"!0", 1},
      {"!5", 0},
      {"-5U / 2", 0x7ffffffffffffffd},
      {"(.s64) 0xFFFFFFFFFFFFFFFF < 0", 1},
      {"(.u64) -1 / 2", 0x7fffffffffffffff},
      {"(5 & -1) - 6 < 0", 1},
      {"-1 ^ 0", uint64_t(-1)},
      {"(1 ? -1 : 1U) < 0", 1},
      {"1.0 < 2.0", 1},
      {"1 && 2", 1},
      {"0 || 0", 0},
      {"3 > 2 > 1", 0},
      {"1 | 2 == 2", 1},
      {"1 << 2 + 1", 8},
      {"2 * 3 % 4", 2},
      {"10 - 3 - 2", 5},
      {"1 ? 2 ? 3 : 4 : 5", 3},
      {"0 ? 1 : 0 ? 2 : 3", 3},
      {"- -3", 3},
      {"~~5", 5},
      {"-9223372036854775808 / -1", 0},
      {"9223372036854775807 + 1", 0x8000000000000000},
      {"0x8000000000000000 % 3", 2},
      {"5 != 3 & 1", 1},
      {"WARP_SZ * 2", 64},
      {"0777", 511},
      {"((5))+1", 6},
      {"5 >= 3 && 2 < 1 || 1 == 1", 1},
  };
  for (const auto& [expression, value] : expressions)
    EXPECT_EQ(constant(expression), value) << expression;
}

// Random expressions, compared with C++'s results.
TEST_P(Operands, RandomConstantExpressions) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    uint64_t expected = 0;
    std::string text = "0";
    for (int n = 0; n < 12; ++n) {
      const unsigned shift = random() % 64;
      const uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
      text += " + ((" + std::to_string(a) + "U ^ ~" + std::to_string(b) + "U) << " +
              std::to_string(shift) + ") * " + std::to_string(n + 1) + "U";
      expected += ((a ^ ~b) << shift) * static_cast<uint64_t>(n + 1);
    }
    EXPECT_EQ(constant(text), expected) << text;
  }
}

TEST_P(Operands, AnIndexCountsElements) {
  for (uint32_t n = 0; n < 64; ++n) table_[n] = 1000 + n;
  const char* const table = ".global .align 8 .b32 table[64];";
  const auto lanes = [&](const std::string& body, auto&& expected) {
    const auto out = run(body, table);
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], uint64_t(expected(t))) << body << t;
  };
  const auto from = [&](uint32_t n) { return 1000 + n; };
  lanes("ld.global.u32 %rd9, table[%r0];", from);
  lanes("ld.u32 %rd9, table[%r0];", from);
  lanes("ld.global.u32 %rd9, table[%r0+3];", [&](uint32_t t) { return from(t + 3); });
  lanes("add.u32 %r1, %r0, 7; ld.global.u32 %rd9, table[%r1 + 1 - 2*2];",
        [&](uint32_t t) { return from(t + 4); });
  lanes("ld.global.u32 %rd9, table[2+1];", [&](uint32_t) { return from(3); });
  lanes("cvt.u64.u32 %rd3, %r0; ld.global.u32 %rd9, table[%rd3];", from);
  // Of a wider index, only the lowest 32 bits count.
  lanes("cvt.u64.u32 %rd3, %r0; or.b64 %rd3, %rd3, 0x700000000; ld.global.u32 %rd9, table[%rd3];",
        from);
  lanes("cvt.u16.u32 %h1, %r0; ld.global.u32 %rd9, table[%h1];", from);
  lanes("mov.u64 %rd3, table[%r0]; ld.global.u32 %rd9, [%rd3];", from);
  lanes("mov.u64 %rd3, table[5]; ld.global.u32 %rd9, [%rd3];", [&](uint32_t) { return from(5); });
  // An element has the variable's size, whatever the access's size is.
  lanes("ld.global.u8 %rd9, table[%r0];", [&](uint32_t t) { return from(t) & 255; });
  lanes("and.b32 %r1, %r0, 30; ld.global.u64 %rd9, table[%r1];",
        [&](uint32_t t) { return from(t & 30) | uint64_t{from((t & 30) + 1)} << 32; });
  lanes(
      "st.shared.u32 sh[%r0], %r0; bar.warp.sync -1; xor.b32 %r1, %r0, 1;"
      "ld.shared.u32 %rd9, sh[%r1];",
      [](uint32_t t) { return t ^ 1; });
  lanes(
      "cvt.u16.u32 %h1, %r0; and.b32 %r1, %r0, 7; st.local.b16 lo[%r1], %h1;"
      "ld.local.u16 %rd9, lo[%r1];",
      [](uint32_t t) { return t; });
  lanes("and.b32 %r1, %r0, 15; ld.param.u8 %rd9, pa[%r1];", [](uint32_t t) { return 8 + t % 16; });
  lanes("ld.param.u8 %rd9, pa[4*2];", [](uint32_t) { return 16; });
}

TEST_P(Operands, ANumberAddedToARegister) {
  const auto out =
      run("st.shared.u32 [sh], 1+1; ld.shared.u32 %rd8, [sh]; "
          "add.u64 %rd9, %rd8+40, 0x10 << 2; add.u32 %r1, %r0+5, %r0 + -1;"
          "cvt.u64.u32 %rd8, %r1+1; add.u64 %rd9, %rd9, %rd8;");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 42 + 64 + 2 * t + 5);
}

TEST_P(Operands, ANamedVariableSaysItsSpace) {
  const auto out = run(R"(
      cvt.u16.u32 %h1, %r0;
      st.u16 [lo+4], %h1;
      st.u32 [sh+8], 40;
      atom.add.u32 %r3, [sh+8], 2;
      red.add.u32 [sh+8], 1;
      bar.warp.sync -1;
      ld.u16 %rd8, [lo+2*2];
      ld.volatile.u32 %rd9, [sh+8];
      add.u64 %rd9, %rd9, %rd8;)");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 40 + 3 * 32 + t);
}

TEST_P(Operands, NumberedVariablesAndVariablesInBodies) {
  const auto out = run(R"(
      .param .u64 %P<2>; .local .b32 %L<3>;
      cvt.u64.u32 %rd8, %r0;
      st.param.u64 [%P0], %rd8; st.param.u64 [%P1], 100;
      st.local.b32 [%L2], %r0; st.local.b32 [%L1], 1;
      call (%rd9), sum, (%P0, %P1);
      ld.local.u32 %rd8, [%L2];
      add.u64 %rd9, %rd9, %rd8;)",
                       ".func (.reg .u64 r) sum(.param .u64 a, .param .u64 b)"
                       "{ .reg .u64 %x<2>; ld.param.u64 %x0, [a]; ld.param.u64 %x1, [b];"
                       "  add.u64 r, %x0, %x1; ret; }");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 100 + 2 * t);
}

TEST_P(Operands, RegistersThatSayNothing) {
  const auto out =
      run("mov.u32 %r1, %envreg0; mov.u32 %r2, %pm3; mov.u64 %rd8, %pm0_64;"
          "mov.u64 %rd9, %current_graph_exec; mov.pred %p1, %is_explicit_cluster;"
          "@%p1 add.u64 %rd9, %rd9, 1; @!%is_explicit_cluster add.u64 %rd9, %rd9, 2;"
          "add.u32 %r1, %r1, %r2; cvt.u64.u32 %rd7, %r1; add.u64 %rd9, %rd9, %rd7;"
          "add.u64 %rd9, %rd9, %rd8;");
  EXPECT_EQ(out[0], 2u);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Operands, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
