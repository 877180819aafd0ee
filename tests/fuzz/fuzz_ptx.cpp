// SPDX-License-Identifier: Apache-2.0
// The reader of PTX and the compiler, with programs that are nearly right. What can be loaded is
// also compiled, but not run. Nothing may crash, and wrong programs are refused.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

void set_scene() {
  static bool up = false;
  if (up) return;
  setenv("CUVETTE_CACHE", "0", 1);
  CUcontext context;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) std::abort();
  // Silences the driver's explanations of refusals on stderr. The fuzzer and the sanitizers keep
  // theirs.
  stderr = std::fopen("/dev/null", "w");
  up = true;
}

// The programs from which the inputs are made.
const char* const programs[] = {
    R"(.visible .entry scale(.param .u64 a, .param .f32 f, .param .u32 n)
{
  .reg .pred %p<2>; .reg .f32 %f<3>; .reg .b32 %r<6>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [a]; ld.param.f32 %f1, [f]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; fma.rn.ftz.f32 %f2, %f2, %f1, 0f3F800000; st.global.f32 [%rd4], %f2;
DONE:
  ret;
})",
    R"(.shared .align 16 .b8 tile[1024];
.global .align 4 .u32 counters[8] = {1, 2, 3};
.const .f32 table[4] = {0f3F800000, 0f40000000};
.func (.reg .b32 result) twice(.reg .b32 x) { add.s32 result, x, x; ret; }
.visible .entry steps(.param .u64 a) .maxntid 256, 1, 1
{
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .f32 %f<4>; .local .b8 stack[32];
  mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
  st.shared.u32 [%r4], %r1; bar.sync 0;
LOOP:
  ld.shared.u32 %r5, [%r4]; add.u32 %r5, %r5, 1; st.shared.u32 [%r4], %r5;
  setp.lt.u32 %p1, %r5, 100; @%p1 bra LOOP;
  shfl.sync.down.b32 %r6|%p2, %r5, 16, 31, -1;
  vote.sync.ballot.b32 %r7, %p2, -1; atom.shared.add.u32 %r8, [tile], %r7;
  { .param .b32 in; .param .b32 out; call (%r9), twice, (%r8); }
  st.local.u32 [stack+4], %r9; ld.const.f32 %f1, [table+4]; cvt.rn.f32.u32 %f2, %r9;
  selp.f32 %f3, %f1, %f2, %p2; cvt.rzi.s32.f32 %r10, %f3;
  ld.param.u64 %rd1, [a]; red.global.add.u32 [%rd1], %r10; bar.warp.sync -1;
  ret;
})",
    R"(.extern .shared .align 8 .b8 dynamic[];
.visible .entry mixed(.param .align 8 .b8 s[24])
{
  .reg .pred %p<4>; .reg .b16 %h<6>; .reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .f64 %d<4>; .reg .f32 %f<4>;
  ld.param.v2.u32 {%r1, %r2}, [s+8]; ld.param.u64 %rd1, [s];
  switch_targets: .branchtargets ONE, TWO, THREE;
  and.b32 %r3, %r1, 1; brx.idx %r3, switch_targets;
ONE:
  cvt.rn.f16.f32 %h1, %f1; add.f16 %h2, %h1, %h1; cvt.f32.f16 %f2, %h2; bra END;
TWO:
  div.rn.f64 %d1, %d2, %d3; sqrt.approx.f32 %f3, %f2; popc.b32 %r4, %r2; bfe.u32 %r5, %r4, 3, 7; bra END;
THREE:
  mul.hi.s64 %rd2, %rd1, %rd1; prmt.b32 %r6, %r1, %r2, 0x3210; lop3.b32 %r7, %r6, %r5, %r4, 0x96;
END:
  membar.gl; st.global.v4.u32 [%rd1+16], {%r4, %r5, %r6, %r7}; exit;
})",
    R"(.global .align 8 .b8 field[4][8];
.extern .shared .b8 sized[256];
.func (.reg .v2 .b32 r) swapped(.reg .v2 .b32 x) { mov.v2.b32 r, {x.y, x.x}; ret; }
.visible .entry operands(.param .u64 a) .maxntid 128
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .v2 .b32 %v; .reg .v4 .f32 %w<2>;
  .global .b32 own[4] = {1 + 2 * 3, 0x10 << 2, ~0, 5 ? 6 : 7}; .local .b16 %L<4>; .param .u64 %P<2>;
  ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; ld.global.u32 %r2, own[%r1 + 1];
  st.u8 field[%r1], 4 - 1; mov.u64 %rd2, field[3]; ld.u16 %r3, [%L1]; st.shared.b32 [sized+4], { %r3 };
  mov.b64 %v, %rd1; call (%v), swapped, (%v); mov.v4.f32 %w1, {1.0, -6.0, %w0.y, %w0.x};
  vmad.s32.s32.s32.sat.shr7 %r4, -%r1.h1, %r2.b0, %r3; vshr.u32.u32.u32.clamp.add %r5, %r4, %r1, %r2;
  mov.u32 %r6, WARP_SZ - 1; st.global.v4.f32 [%rd1 + 4*4], %w1; @%p1 mov.pred %p0, 0;
  ret;
})"};

const char* const words[] = {".u8",
                             ".s16",
                             ".u32",
                             ".s64",
                             ".b128",
                             ".f16",
                             ".f16x2",
                             ".bf16",
                             ".f32",
                             ".f64",
                             ".pred",
                             ".v2",
                             ".v4",
                             ".v8",
                             ".reg",
                             ".param",
                             ".shared",
                             ".global",
                             ".local",
                             ".const",
                             ".align",
                             ".entry",
                             ".func",
                             ".visible",
                             ".extern",
                             ".weak",
                             ".sat",
                             ".ftz",
                             ".rn",
                             ".rz",
                             ".approx",
                             ".hi",
                             ".lo",
                             ".wide",
                             ".sync",
                             ".cas",
                             ".exch",
                             ".volatile",
                             ".relaxed",
                             ".acquire",
                             ".gpu",
                             ".sys",
                             "add",
                             "mul",
                             "mad",
                             "fma",
                             "div",
                             "rem",
                             "ld",
                             "st",
                             "atom",
                             "red",
                             "mov",
                             "cvt",
                             "cvta",
                             "setp",
                             "selp",
                             "bra",
                             "call",
                             "ret",
                             "exit",
                             "trap",
                             "bar",
                             "shfl",
                             "vote",
                             "match",
                             "tex",
                             "mma",
                             "wmma",
                             "ex2",
                             "lg2",
                             "sin",
                             "brev",
                             "shf",
                             "dp4a",
                             "vadd4",
                             "isspacep",
                             "mbarrier",
                             "cp",
                             "nanosleep",
                             "griddepcontrol",
                             "createpolicy",
                             "%tid",
                             "%laneid",
                             "%clock64",
                             "%r1",
                             "%rd1",
                             "%f1",
                             "%d1",
                             "%p1",
                             "%h1",
                             "%r99",
                             "tile",
                             "a",
                             "s",
                             "twice",
                             "LOOP",
                             "DONE",
                             "0",
                             "1",
                             "-1",
                             "31",
                             "0x80000000",
                             "18446744073709551616",
                             "1e",
                             "0f7FC00000",
                             "0d7FF0000000000000",
                             "{",
                             "}",
                             "(",
                             ")",
                             "[",
                             "]",
                             ";",
                             ",",
                             ":",
                             "@",
                             "@!",
                             "|",
                             "+",
                             "-",
                             "<",
                             ">",
                             "=",
                             "_",
                             "!",
                             "\"",
                             "/*",
                             "*/",
                             "//",
                             "\n",
                             "\0x",
                             ".loc 1 1 1",
                             ".file 1 \"a\"",
                             "{ %r1 }",
                             "%v.x",
                             "%v",
                             ".reg .v4 .b32 %v;",
                             ".param .u64 %P<2>;",
                             ".global .b32 tile;",
                             "tile[%r1+1]",
                             "tile[2]",
                             "+1",
                             "? 1 : 2",
                             "<< 2",
                             "* 3",
                             "% 5",
                             "~(",
                             "vmad",
                             "vshr",
                             ".section .debug_str {",
                             ".pragma \"nounroll\";"};

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '%' || c == '$';
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (in_word(text[i]) || text[i] == '.')
      while (end < text.size() && in_word(text[end])) ++end;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_scene();
  Input input(data, size);
  static const auto* const parsed = [] {
    auto* const all = new std::vector<std::vector<std::string>>;
    for (const char* program : programs) all->push_back(tokens_of(program));
    return all;
  }();
  std::vector<std::string> tokens = (*parsed)[input.below(static_cast<unsigned>(parsed->size()))];
  // Only a few changes: with more, no program would get far.
  for (unsigned left = input.below(4); left > 0 && !tokens.empty(); --left) {
    const size_t place = input.place(tokens.size());
    const auto at = tokens.begin() + static_cast<std::ptrdiff_t>(place);
    switch (input.below(6)) {
      case 5: {
        // Inserts a number next to a power of two, replaces a number by it, or adds a dimension.
        const uint64_t extreme = (uint64_t{1} << input.below(64)) + input.below(3) - 1;
        if (tokens[place][0] >= '0' && tokens[place][0] <= '9')
          tokens[place] = std::to_string(extreme);
        else if (tokens[place] == "]")
          tokens[place] = "][" + std::to_string(extreme) + "]";
        else
          tokens.insert(at, std::to_string(extreme));
        break;
      }
      case 0:
        tokens[place] = words[input.place(std::size(words))];
        break;
      case 1:
        tokens.insert(at, words[input.place(std::size(words))]);
        break;
      case 2:
        tokens.erase(at);
        break;
      case 3:
        tokens[place] = tokens[input.place(tokens.size())];
        break;
      default:
        tokens.insert(at, tokens[input.place(tokens.size())]);
    }
  }
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const std::string& token : tokens) text += token;
  CUmodule module;
  if (cuModuleLoadData(&module, text.c_str()) != CUDA_SUCCESS) return 0;
  CUfunction functions[4];
  unsigned count = 0;
  if (cuModuleGetFunctionCount(&count, module) == CUDA_SUCCESS && count <= 4 &&
      cuModuleEnumerateFunctions(functions, count, module) == CUDA_SUCCESS)
    for (unsigned i = 0; i < count; ++i) {
      int registers;
      cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, functions[i]);
    }
  cuModuleUnload(module);
  return 0;
}
