// SPDX-License-Identifier: Apache-2.0
// Operands in braces: a vector of one element is that element in any instruction; registers that
// are vectors; several moves in one instruction.
#include <array>
#include <random>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class VectorOperands : public testing::TestWithParam<Vectors> {
 protected:
  // Runs 64 threads on 256 words, four for each thread, of which word n begins as 7 * n; returns
  // the words.
  std::vector<uint32_t> run(const std::string& body, const std::string& before = "") {
    std::vector<uint32_t> out(256);
    for (uint32_t n = 0; n < 256; ++n) out[n] = 7 * n;
    const std::string text = module_of(".param .u64 out, .param .align 8 .b8 in[32]", R"(
      .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
      .shared .align 16 .b8 sh[1024]; .local .align 16 .b8 lo[64];
      ld.param.u64 %rd0, [out];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 16;
      add.s64 %rd1, %rd0, %rd2;
      cvt.u32.u64 %r1, %rd2;
      and.b32 %r2, %r0, 5;
      setp.ne.u32 %p1, %r2, 4;
    )" + body + "\nret;",
                                       before);
    Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
    const uint64_t address = reinterpret_cast<uint64_t>(out.data());
    uint8_t parameters[40];
    memcpy(parameters, &address, 8);
    for (uint8_t n = 8; n < 40; ++n) parameters[n] = n;
    EXPECT_EQ(kernel.run(parameters), Status::finished) << body;
    return out;
  }
  void same(const std::string& one, const std::string& other) {
    EXPECT_EQ(run(one), run(other)) << one;
  }
};

struct Access {
  const char* type;
  const char* reg;
};

// Each instruction that takes vectors, in each space, with and without a predicate, compared with
// its form without braces.
TEST_P(VectorOperands, OneElementIsThatElement) {
  const Access accesses[] = {{"u8", "%h1"},  {"s8", "%r3"},  {"b16", "%h1"}, {"b32", "%r3"},
                             {"u32", "%r3"}, {"f32", "%f1"}, {"b64", "%rd3"}};
  unsigned turn = 0;
  for (const auto& [type, reg] : accesses)
    for (const char* const space :
         {".global", "", ".global.relaxed.gpu", ".volatile.global", ".shared", ".local"}) {
      const char* const predicate = std::array{"", "@%p1 ", "@!%p1 "}[turn++ % 3];
      const std::string s(space), t(type), r(reg), p(predicate);
      const bool shared = s == ".shared", local = s == ".local";
      if (s.find("relaxed") != s.npos && t.find('8') != t.npos) continue;
      const std::string at = shared ? "[%r1+4]" : local ? "[lo+8]" : "[%rd1+8]";
      const std::string loaded = shared ? "[%r1]" : local ? "[lo]" : "[%rd1]";
      // The place is aligned to the access's size.
      const std::string fill = shared  ? "st.shared.v4.b32 [%r1], {%r0, %r1, %r2, %r0};"
                               : local ? "st.local.v4.b32 [lo], {%r0, %r1, %r2, %r0};"
                                       : "";
      const std::string back = shared  ? "ld.shared.b32 %r9, [%r1+8]; st.global.b32 [%rd1+12], %r9;"
                               : local ? "ld.local.b32 %r9, [lo+8]; st.global.b32 [%rd1+12], %r9;"
                                       : "";
      const std::string place = t == "b64" && shared ? "[%r1+8]" : at;
      const auto with = [&](bool braces) {
        const std::string operand = braces ? "{ " + r + " }" : r;
        return fill + p + "ld" + s + "." + t + " " + operand + ", " + loaded + ";" + p + "st" + s +
               "." + t + " " + place + ", " + operand + ";" + back;
      };
      same(with(true), with(false));
    }
  same("ld.global.nc.b32 {%r3}, [%rd1]; st.global.b32 [%rd1+4], {%r3};",
       "ld.global.nc.b32 %r3, [%rd1]; st.global.b32 [%rd1+4], %r3;");
  same("ldu.global.b32 {%r3}, [%rd1]; st.global.b32 [%rd1+4], {5};",
       "ldu.global.b32 %r3, [%rd1]; st.global.b32 [%rd1+4], 5;");
  same("ld.param.b32 {%r3}, [in+4]; st.global.b32 [%rd1+4], {%r3};",
       "ld.param.b32 %r3, [in+4]; st.global.b32 [%rd1+4], %r3;");
  same("mov.b32 {%r3}, %r1; mov.b32 %r4, {%r0}; st.global.v2.b32 [%rd1+8], {%r3, %r4};",
       "mov.b32 %r3, %r1; mov.b32 %r4, %r0; st.global.v2.b32 [%rd1+8], {%r3, %r4};");
  same("@%p1 mov.b64 {%rd3}, %rd2; st.global.b64 [%rd1+8], %rd3;",
       "@%p1 mov.b64 %rd3, %rd2; st.global.b64 [%rd1+8], %rd3;");
  // The instructions do have an effect.
  EXPECT_EQ(run("st.global.b32 [%rd1], { %r0 };")[4 * 9], 9u);
  EXPECT_EQ(run("ld.global.b32 { %r3 }, [%rd1]; st.global.b32 [%rd1+4], %r3;")[4 * 9 + 1], 252u);
}

TEST_P(VectorOperands, RegistersThatAreVectors) {
  const auto out = run(R"(
    .reg .v4 .b32 v; .reg .v2 .f32 w<3>; .reg .v4 .b32 u;
    ld.global.v4.b32 v, [%rd1];
    mov.v4.b32 u, v;
    add.u32 u.x, v.w, 1;
    mov.b32 u.g, %r0;
    mov.v2.b32 {%r3, %r4}, {v.y, 1 + 1};
    mov.v2.b32 {%r3, %r4}, {%r4, %r3};
    add.u32 u.z, %r3, %r4;
    mov.b64 w1, 0x3f80000000000003;
    mov.b32 u.a, w1.y;
    st.global.v4.b32 [%rd1], u;)");
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out[4 * t], 7 * (4 * t + 3) + 1);
    EXPECT_EQ(out[4 * t + 1], t);
    EXPECT_EQ(out[4 * t + 2], 7 * (4 * t + 1) + 2);
    EXPECT_EQ(out[4 * t + 3], 0x3f800000u);
  }
}

TEST_P(VectorOperands, SeveralMovesReadBeforeTheyWrite) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    uint32_t from[4], predicate = random() % 3;
    std::string text = "mov.u32 %r10, 10; mov.u32 %r11, 11; mov.u32 %r12, 12; mov.u32 %r13, 13;";
    text += predicate == 0 ? "" : predicate == 1 ? "@%p1 " : "@!%p1 ";
    text += "mov.v4.b32 {%r10, %r11, %r12, %r13}, {";
    for (int n = 0; n < 4; ++n) {
      from[n] = random() % 5;
      text += std::string(n ? ", " : "") +
              (from[n] == 4 ? "0x10 << 2" : "%r1" + std::to_string(from[n]));
    }
    const auto out = run(text + "}; st.global.v4.b32 [%rd1], {%r10, %r11, %r12, %r13};");
    for (uint32_t t = 0; t < 64; ++t)
      for (uint32_t n = 0; n < 4; ++n) {
        const bool moved = predicate == 0 || (predicate == 1) == ((t & 5) != 4);
        EXPECT_EQ(out[4 * t + n], !moved ? 10 + n : from[n] == 4 ? 64 : 10 + from[n]) << text;
      }
  }
}

TEST_P(VectorOperands, ThreadIndicesAsVectors) {
  const auto out =
      run("mov.v4.u32 {%r3, %r4, %r5, %r6}, %tid; mov.v4.u32 {%r7, _, _, _}, %ntid;"
          "add.u32 %r4, %r4, %r7; st.global.v4.b32 [%rd1], {%r3, %r4, %r5, %r6};");
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out[4 * t], t);
    EXPECT_EQ(out[4 * t + 1], 64u);
    EXPECT_EQ(out[4 * t + 2] + out[4 * t + 3], 0u);
  }
}

TEST_P(VectorOperands, PassThroughCalls) {
  const auto out = run(R"(
      .reg .v4 .b32 v, u;
      ld.global.v4.b32 v, [%rd1];
      call (u), turned, (v, %r0);
      st.global.v4.b32 [%rd1], u;)",
                       R"(
      .func (.reg .v4 .b32 result) turned(.reg .v4 .b32 a, .reg .b32 by)
      { add.u32 a.x, a.x, by; mov.v4.b32 result, {a.y, a.z, a.w, a.x}; ret; }
  )");
  for (uint32_t t = 0; t < 64; ++t)
    for (uint32_t n = 0; n < 4; ++n)
      EXPECT_EQ(out[4 * t + n], 7 * (4 * t + (n + 1) % 4) + (n == 3 ? t : 0));
}

INSTANTIATE_TEST_SUITE_P(Vectors, VectorOperands, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
