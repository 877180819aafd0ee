// SPDX-License-Identifier: Apache-2.0
// Invalid instructions are refused when a module is loaded, and those accepted then can be
// compiled.
#include "sim/ptx/syntax/check_forms.hpp"

#include <random>
#include <set>

#include "sim/ptx/passes/check_bodies.hpp"
#include "sim/ptx/syntax/parser.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

extern "C" cuvette::ptx::CompileFunction cuvette_jit_compile;

namespace cuvette::ptx::test {
namespace {

std::string text_of(const std::string& instruction) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 16 .b32 x[4];\n"
         ".global .texref t; .global .surfref s;\n"
         ".visible .entry k(.param .align 8 .b8 a[16]) {\n"
         "  .reg .pred %p<4>; .reg .b8 %b<2>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
         "  .reg .f32 %f<9>; .reg .f64 %d<4>; .reg .b128 %q<2>; .shared .align 16 .b8 sh[64];\n" +
         instruction + ";\nL: ret; }\n";
}

// The message for an instruction; empty if it is accepted.
std::string said_of(const std::string& instruction) {
  Module module;
  Diagnostic diagnostic;
  if (!read_module(text_of(instruction), 90, module, diagnostic) ||
      check_bodies(module, false, diagnostic) != BodyState::right)
    return diagnostic.message;
  return "";
}

std::string compiled(const std::string& instruction) {
  const std::string text = text_of(instruction);
  CompileRequest request;
  request.text = text;
  request.entry = "k";
  request.block = BlockClass::of(32, 1, 1);
  CompiledKernel kernel;
  cuvette_jit_compile(request, kernel);
  return kernel.error;
}

// As ptxas refuses them.
TEST(check_forms, RefusesWhatThereIsNot) {
  for (const char* const instruction :
       {"cvt.f16.s16 %h1, %h2",
        "cvt.rzi.u8.bf16 %h1, %h2",
        "cvt.u32.f32 %r1, %f1",
        "cvt.rn.u32.f32 %r1, %f1",
        "cvt.f32.u32 %f1, %r1",
        "cvt.f32.f64 %f1, %d1",
        "cvt.rn.u32.u16 %r1, %h1",
        "cvt.rn.f64.f32 %d1, %f1",
        "cvt.rn.f32.f32 %f1, %f2",
        "cvt.rn.bf16.u8 %h1, %h2",
        "cvt.rn.rz.f16.f32 %h1, %f1",
        "setp.s32 %p1, %r1, %r2",
        "setp.lt.and.s32 %p1, %r1, %r2",
        "setp.lt.s32 %p1, %r1, %r2, %p2",
        "setp.lo.f32 %p1, %f1, %f2",
        "setp.ltu.s32 %p1, %r1, %r2",
        "lop3.or.b32 %r1, %r1, %r2, %r3, 0",
        "lop3.b32 %r1|%p1, %r1, %r2, %r3, 0",
        "dp4a.u32 %r1, %r2, %r3, %r4",
        "vshl.u32.u32.u32 %r1, %r2, %r3",
        "vadd.u32.u32.u32 %r1, %r2, %r3, %r4",
        "vadd.u32.u32.u32.min %r1, %r2, %r3",
        "vadd.u32.u32.u32.add %r1.h0, %r2, %r3, %r4",
        "vmad.s32.u32.s32 %r1, %r2.h0, -%r3.h1, -%r4",
        "vmad.s32.s32.s32.po %r1, -%r2, %r3, %r4",
        "vset.u32.u32 %r1, %r2, %r3",
        "st.param.u32 [a], %r1",
        "mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e4m3.f32 "
        "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4}",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [sh]",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1}]",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3}, [t, {%f1,%f2}]",
        "tld4.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}]",
        "tld4.r.g.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}]",
        "cp.async.ca.shared.global [sh], [x], 5",
        "mbarrier.init.shared.b64 [sh]",
        "multimem.red.global.add.f32 [%rd1], %f1"})
    EXPECT_NE(said_of(instruction), "") << instruction;
  EXPECT_NE(said_of("multimem.st.global.f32 [%rd1], %f1").find("'multimem'"), std::string::npos);
}

TEST(check_forms, TakesWhatThereIs) {
  for (const char* const instruction :
       {"fma.rm.f32 %f1, %f2, %f3, %f1",
        "add.rz.f64 %d1, %d2, %d3",
        "cvt.rn.f16.s16 %h1, %h2",
        "cvt.rzi.u16.bf16 %h1, %h2",
        "cvt.rzi.s8.bf16 %b1, %h2",
        "cvt.rn.bf16.u8 %h1, %b1",
        "cvt.rni.f32.f32 %f1, %f2",
        "cvt.f32.f16 %f1, %h1",
        "cvt.sat.f32.f32 %f1, %f2",
        "cvt.f16.bf16 %h1, %h2",
        "cvt.rn.f32.bf16 %f1, %h1",
        "cvt.sat.u8.s32 %h1, %r1",
        "cvt.rna.tf32.f32 %r1, %f1",
        "vmad.u32.u32.u32.sat.shr15 %r1, -%r2.h0, %r3.b1, %r4",
        "vshr.u32.u32.u32.clamp.add %r1, %r2, %r3, %r4",
        "vmin.s32.s32.s32.max %r1, %r2, %r3, %r4",
        "vadd.s32.s32.s32.sat %r1.b2, %r2.h1, %r3.b3, %r4",
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [t, {%f1,%f2}]",
        "tld4.a.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}]",
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
        "{%r1,%r2}, {%r3,%r4}, {%r5,%r6,%r7,%r8}",
        "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6}, {%r7,%r8}"}) {
    EXPECT_EQ(said_of(instruction), "") << instruction;
    EXPECT_EQ(compiled(instruction), "") << instruction;
  }
}

// Random opcodes with random modifiers, types and operands: whatever the reader accepts, the
// compiler accepts, too.
TEST(check_forms, WhatIsTakenCanBeCompiled) {
  const char* const types[] = {"u8",   "u16",    "u32", "u64", "s16",  "s32", "s64",
                               "b8",   "b16",    "b32", "b64", "b128", "f16", "f16x2",
                               "bf16", "bf16x2", "f32", "f64", "e4m3", "pred"};
  const char* const operands[] = {"%r1",
                                  "%r2",
                                  "%h1",
                                  "%rd1",
                                  "%f1",
                                  "%d1",
                                  "%p1",
                                  "%q1",
                                  "5",
                                  "1.5",
                                  "_",
                                  "!%p2",
                                  "{%r1}",
                                  "{%r1,%r2}",
                                  "%r1|%p1",
                                  "[%rd1]",
                                  "[sh]",
                                  "[x+4]",
                                  "x[%r1]",
                                  "%r1+4",
                                  "{%f1,%f2}",
                                  "%tid.x",
                                  "[t, {%f1,%f2}]",
                                  "%r1.h1",
                                  "-%r1",
                                  "{%r1,%r2,%r3,%r4}",
                                  "{%f1,%f2,%f3,%f4}",
                                  "{%h1,%h2}"};
  const std::set<std::string> elsewhere{"bra",  "brx",    "call",      "ret",
                                        "exit", "alloca", "stacksave", "stackrestore"};
  const char* const longer = std::getenv("CUVETTE_TEST_SEEDS");
  const int rounds = longer ? 200'000 * std::atoi(longer) : 60'000;
  std::mt19937 random(3);
  const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
  int taken = 0;
  for (int round = 0; round < rounds; ++round) {
    const OpcodeRow& row = row_of(static_cast<Opcode>(random() % opcode_count));
    std::string text(row.name);
    if (elsewhere.contains(text)) continue;
    std::vector<std::string> words;
    std::istringstream stream{std::string(row.modifiers)};
    for (std::string word; stream >> word;) words.push_back(word);
    for (int n = static_cast<int>(random() % 3); n > 0 && !words.empty(); --n)
      text += "." + words[random() % words.size()];
    for (int n = static_cast<int>(random() % 3); n >= 0; --n)
      text += "." + std::string(pick(types));
    for (uint32_t n = 0, count = 1 + random() % 4; n < count; ++n)
      text += (n ? ", " : " ") + std::string(pick(operands));
    if (!said_of(text).empty()) continue;
    ++taken;
    ASSERT_EQ(compiled(text), "") << text;
  }
  EXPECT_GT(taken, 50);
}

}  // namespace
}  // namespace cuvette::ptx::test
