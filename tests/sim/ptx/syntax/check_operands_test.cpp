// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_operands.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sim/ptx/passes/check_bodies.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

// The message for an instruction; empty if nothing is wrong with it.
std::string said_of(const std::string& instruction) {
  Module module;
  Diagnostic diagnostic;
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 x;\n"
      ".visible .entry k(.param .u64 a) {\n"
      "  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
      "  .reg .f64 %d<4>;\n" +
      instruction + ";\nL: ret; }\n";
  if (!read_module(text, 90, module, diagnostic)) return "module: " + diagnostic.sentence();
  return check_bodies(module, false, diagnostic) == BodyState::right ? "" : diagnostic.message;
}

TEST(check_operands, TakesWhatThereIs) {
  for (const char* const instruction :
       {"add.s32 %r1, %r2, 5",
        "add.f64 %d1, %d2, 0d3FF0000000000000",
        "add.u32 %r1, %tid.x, %r2",
        "mul.wide.u32 %rd1, %r1, 4",
        "mad.wide.s32 %rd1, %r1, %r2, %rd2",
        "and.pred %p1, %p2, !%p3",
        "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3",
        "set.gt.u32.f32 %r1, %f1, %f2",
        "selp.b64 %rd1, %rd2, 0, %p1",
        "slct.f64.s32 %d1, %d2, %d3, %r1",
        "popc.b64 %r1, %rd1",
        "shl.b64 %rd1, %rd2, %r1",
        "mov.b64 {%r1, %r2}, %rd1",
        "mov.b64 {%r1, _}, %rd1",
        "mov.b32 {%r1}, %r2",
        "ld.u32 {%r1}, [%rd1]",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f1}|%p1, [%rd1, {%f1,%f2}]",
        "mov.u64 %rd1, x",
        "mov.b32 %r1, {%h1, %h2}",
        "mov.pred %p1, 1",
        "cvt.u32.u16 %r1, %h1",
        "cvt.u8.u32 %r1, %r2",
        "cvt.rn.f16x2.f32 %r1, %f1, %f2",
        "ld.u8 %r1, [%rd1+4]",
        "ld.global.v2.f32 {%f1, _}, [x]",
        "st.v4.u8 [%rd1], {%r1, 1, %h1, %r2}",
        "atom.cas.b32 %r1, [%rd1], 1, %r2",
        "atom.add.u64 _, [%rd1], %rd2",
        "red.add.f32 [%rd1], %f1",
        "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1",
        "shfl.sync.up.b32 %r1, %r2, 1, 0, %r3",
        "vote.sync.ballot.b32 %r1, !%p1, -1",
        "match.all.sync.b64 %r1|%p1, %rd1, -1",
        "lop3.b32 %r1, %r2, %r3, 0, 0x96",
        "vadd.s32.s32.u32.sat %r1, %r2.h1, %r3.b0",
        "vmin2.u32.u32.u32 %r1.h1, %r2.h03, %r3, %r1",
        "vadd4.u32.u32.u32 %r1.b20, %r2.b0527, %r3, %r1",
        "bar.sync 0",
        "bra L",
        "nanosleep.u32 100"})
    EXPECT_EQ(said_of(instruction), "") << instruction;
}

TEST(check_operands, SaysWhatIsMissing) {
  for (const char* const instruction :
       {"add.s32 %r1, %r2", "ld.u32 %r1", "st.u32 [%rd1]", "atom.cas.b32 %r1, [%rd1], 1",
        "setp.eq.u32 %p1, %r1", "bra", "mov.u32 %r1", "shfl.sync.idx.b32 %r1, %r2, 0"})
    EXPECT_EQ(said_of(instruction), "an operand is missing") << instruction;
  EXPECT_EQ(said_of("ret 5"), "there are more operands than it takes");
  EXPECT_EQ(said_of("neg.s32 %r1, %r2, %r3"), "there are more operands than it takes");
}

TEST(check_operands, SaysWhichTypeThereIsNot) {
  for (const char* const instruction :
       {"and.f32 %f1, %f2, %f3", "popc.f32 %r1, %f1", "shl.u32 %r1, %r2, 1",
        "sin.approx.f64 %d1, %d2", "atom.cas.f32 %f1, [%rd1], %f2, %f3",
        "red.global.and.f32 [%rd1], %f1", "atom.inc.u64 %rd1, [%rd2], %rd3",
        "cvt.u32.tf32 %r1, %r2", "rem.f32 %f1, %f2, %f3"})
    EXPECT_NE(said_of(instruction).find("this instruction has no form of type ."),
              std::string::npos)
        << instruction << ": " << said_of(instruction);
  EXPECT_EQ(said_of("atom.add.f32 %f1, [%rd1], %f2"), "");
  EXPECT_EQ(said_of("red.shared.max.s32 [%r1], %r2"), "");
}

TEST(check_operands, SaysThatWideNumbersAreNotFlushed) {
  for (const char* const instruction :
       {"max.ftz.f64 %d1, %d2, %d3", "add.ftz.f64 %d1, %d2, %d3", "abs.ftz.f64 %d1, %d2"})
    EXPECT_NE(said_of(instruction), "") << instruction;
  for (const char* const instruction :
       {"max.ftz.f32 %f1, %f2, %f3", "rcp.approx.ftz.f64 %d1, %d2", "rsqrt.approx.ftz.f64 %d1, %d2",
        "cvt.ftz.f64.f32 %d1, %f1", "cvt.rn.ftz.f32.f64 %f1, %d1",
        "set.gt.ftz.u32.f32 %r1, %f1, %f2"})
    EXPECT_EQ(said_of(instruction), "") << instruction;
}

TEST(check_operands, SaysWhichIsWrong) {
  const std::pair<const char*, int> wrong[] = {
      {"add.s32 %rd1, %r2, %r3", 1},
      {"add.s32 5, %r2, %r3", 1},
      {"add.s32 %r1, %p1, %r3", 2},
      {"add.s32 %r1, %r2, %rd3", 3},
      {"add.s32 %r1, %r2, !%r3", 3},
      {"add.s32 %r1, %r2, [%rd1]", 3},
      {"mul.wide.u32 %r1, %r2, %r3", 1},
      {"mad.wide.u32 %rd1, %r2, %r3, %r3", 4},
      {"setp.eq.u32 %r1, %r2, %r3", 1},
      {"setp.eq.u32 %p1|%r1, %r2, %r3", 1},
      {"selp.b32 %r1, %r2, %r3, %r1", 4},
      {"popc.b32 %rd1, %r1", 1},
      {"shl.b32 %r1, %r2, %rd1", 3},
      {"mov.b64 {%r1, %rd2}, %rd1", 1},
      {"mov.b64 {%r1, %r2, %r3}, %rd1", 1},
      {"cvt.u64.u32 %r1, %r2", 1},
      {"cvt.u32.u64 %r1, %r2", 2},
      {"ld.u64 %r1, [%rd1]", 1},
      {"ld.v2.u32 %r1, [%rd1]", 1},
      {"ld.v2.u32 {%r1, %r2, %r3}, [%rd1]", 1},
      {"ld.u32 %p1, [%rd1]", 1},
      {"ld.u32 %r1, %rd1", 2},
      {"ld.u32 %r1, [%h1]", 2},
      {"st.u32 [%rd1], {%r1, %r2}", 2},
      {"st.v2.u32 [%rd1], {%r1}", 2},
      {"st.v2.u32 [%rd1], %r1", 2},
      {"ld.u32 {{%r1}}, [%rd1]", 1},
      {"atom.add.u32 {%r1}, [%rd1], %r2", 1},
      {"red.add.u32 [%rd1], {%r2}", 2},
      {"add.u32 {%r1}, %r2, %r3", 1},
      {"add.u32 %r1, {%r2}, %r3", 2},
      {"vote.sync.all.pred %p1, %r1, -1", 2},
      {"lop3.b32 %r1|%r2, %r2, %r3, 0, 0x96", 1},
      {"vmad.s32.s32.s32 %r1.h0, %r2, %r3, %r1", 1},
      {"vadd.s32.s32.s32 %r1, %r2.h2, %r3", 2},
      {"vadd.s32.s32.s32 %r1, %r2.h, %r3", 2},
      {"vmin2.u32.u32.u32 %r1, %r2.h0, %r3, %r1", 2},
      {"vmin2.u32.u32.u32 %r1.h01, %r2, %r3, %r1", 1},
      {"vadd4.u32.u32.u32 %r1, %r2, %r3.b0128, %r1", 3},
      {"vadd4.u32.u32.u32 %r1, %r2, %r3.h3210, %r1", 3},
  };
  for (const auto& [instruction, place] : wrong)
    EXPECT_EQ(said_of(instruction), "operand " + std::to_string(place) +
                                        " is not of the kind or size that this instruction takes")
        << instruction;
  EXPECT_NE(said_of("add.s32 %r1, %r2.h0, %r3").find("nothing of this name"), std::string::npos);
}

}  // namespace
}  // namespace cuvette::ptx
