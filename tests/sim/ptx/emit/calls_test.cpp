// SPDX-License-Identifier: Apache-2.0
// Functions called by kernels: parameters, return values, addresses.
#include "tests/sim/ptx/emit/kernel.hpp"

extern "C" cuvette::ptx::CompileFunction cuvette_jit_compile;

namespace cuvette::ptx::test {
namespace {

// Functions are inlined, as in small kernels, placed once in the kernel, or compiled by themselves.
struct Way {
  Vectors vectors;
  enum { in_place, once, by_themselves } functions;
  CompileRequest request() const {
    CompileRequest made;
    if (functions == by_themselves) made.most_in_place = 0;
    if (functions == once) made.most_copied = 0;
    return made;
  }
};

std::vector<Way> ways_here() {
  std::vector<Way> all;
  for (const Vectors vectors : vectors_here())
    for (const auto functions : {Way::in_place, Way::once, Way::by_themselves})
      all.push_back({vectors, functions});
  return all;
}

class Calls : public testing::TestWithParam<Way> {
 protected:
  static constexpr std::string_view head = R"(
      .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;
      ld.param.u64 %rd0, [out];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 4;
      add.s64 %rd1, %rd0, %rd2;
  )";
  // Runs `body`, in which %r0 is the thread's number; %r1 becomes its result.
  std::vector<uint32_t> run(std::string_view functions, std::string_view body,
                            uint32_t threads = 64, uint32_t blocks = 1) {
    const std::string text = module_of(
        ".param .u64 out",
        std::string(head) + std::string(body) + "st.global.u32 [%rd1], %r1;\nret;", functions);
    std::vector<uint32_t> out(threads, 0xdead);
    Kernel kernel(text, "kernel", GetParam().vectors, {{blocks, 1, 1}, {threads, 1, 1}},
                  GetParam().request());
    for (size_t n = 0; n < std::size(functions_); ++n)
      kernel.place("method" + std::to_string(n), functions_ + n);
    kernel.place("table", table_);
    EXPECT_EQ(kernel(out.data()), Status::finished);
    local_bytes_ = kernel.compiled().local_bytes;
    return out;
  }

  char functions_[3];  // only their addresses are used
  const void* table_[3] = {functions_, functions_ + 1, functions_ + 2};
  uint32_t local_bytes_ = 0;
};

// Loops and two returns, and lanes that differ in each of these.
constexpr std::string_view collatz = R"(
  .func (.param .b32 result) collatz(.param .b32 n, .param .b64 limit)
  {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    ld.param.b32 %r1, [n];
    ld.param.b64 %rd1, [limit];
    mov.b32 %r2, 0;
    setp.gt.u32 %p1, %r1, 1;
    @%p1 bra $L1;
    st.param.b32 [result], 1000;
    ret;
  $L1:
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $L2;
    mad.lo.u32 %r1, %r1, 3, 1;
    bra $L3;
  $L2:
    shr.u32 %r1, %r1, 1;
  $L3:
    add.u32 %r2, %r2, 1;
    cvt.u64.u32 %rd2, %r2;
    setp.ge.u64 %p3, %rd2, %rd1;
    @%p3 bra $L4;
    setp.ne.u32 %p1, %r1, 1;
    @%p1 bra $L1;
  $L4:
    st.param.b32 [result], %r2;
    ret;
  })";

uint32_t collatz_of(uint32_t n, uint32_t limit) {
  if (n <= 1) return 1000;
  uint32_t steps = 0;
  do n = n % 2 ? 3 * n + 1 : n / 2;
  while (++steps < limit && n != 1);
  return steps;
}

TEST_P(Calls, ParametersAndResults) {
  const auto out = run(collatz, R"(
    { .param .b32 param0; .param .b64 param1; .param .b32 retval0;
      st.param.b32 [param0], %r0;
      st.param.b64 [param1], 50;
      call.uni (retval0), collatz, (param0, param1);
      ld.param.b32 %r1, [retval0];
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], collatz_of(t, 50)) << t;
  EXPECT_EQ(local_bytes_ > 0,
            GetParam().functions == Way::by_themselves);  // otherwise everything is in registers
}

TEST_P(Calls, FunctionsThatCallFunctionsTwice) {
  const auto out = run(std::string(collatz) + R"(
    .func (.param .b32 result) both(.param .b32 n)
    {
      .reg .b32 %r<9>;
      ld.param.b32 %r1, [n];
      { .param .b32 param0; .param .b64 param1; .param .b32 retval0;
        st.param.b32 [param0], %r1; st.param.b64 [param1], 7;
        call.uni (retval0), collatz, (param0, param1);
        ld.param.b32 %r2, [retval0];
      }
      add.u32 %r1, %r1, 1;
      { .param .b32 param0; .param .b64 param1; .param .b32 retval0;
        st.param.b32 [param0], %r1; st.param.b64 [param1], 90;
        call.uni (retval0), collatz, (param0, param1);
        ld.param.b32 %r3, [retval0];
      }
      mad.lo.u32 %r4, %r2, 10000, %r3;
      st.param.b32 [result+0], %r4;
      ret;
    })",
                       R"(
    mov.u32 %r1, 5;
    setp.lt.u32 %p1, %r0, 10;
    @%p1 bra BEHIND;
    { .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0+0], %r0;
      call (retval0), both, (param0);
      ld.param.b32 %r1, [retval0+0];
    }
  BEHIND:
  )");
  for (uint32_t t = 0; t < out.size(); ++t)
    EXPECT_EQ(out[t], t < 10 ? 5 : collatz_of(t, 7) * 10000 + collatz_of(t + 1, 90)) << t;
}

TEST_P(Calls, StructuresByValueInPieces) {
  const auto out = run(R"(
    .func (.param .align 8 .b8 result[8]) swap(.param .align 8 .b8 pair[16], .param .b32 flag)
    {
      .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
      ld.param.v2.b32 {%r1, %r2}, [pair];
      ld.param.s8 %r3, [pair+8];
      ld.param.u8 %r4, [pair+9];
      ld.param.u32 %r5, [flag];
      add.u32 %r1, %r1, %r3;
      add.u32 %r2, %r2, %r4;
      add.u32 %r2, %r2, %r5;
      st.param.v2.b32 [result], {%r2, %r1};
      ret;
    })",
                       R"(
    { .param .align 8 .b8 param0[16]; .param .b32 param1; .param .align 8 .b8 retval0[8];
      st.param.b32 [param0], %r0;
      st.param.b32 [param0+4], 7;
      st.param.b8 [param0+8], 254;
      st.param.b8 [param0+9], 254;
      st.param.b32 [param1], 100000;
      call.uni (retval0), swap, (param0, param1);
      ld.param.b32 %r3, [retval0];
      ld.param.b32 %r4, [retval0+4];
    }
    add.u32 %r1, %r3, %r4;
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t - 2 + 7 + 254 + 100000) << t;
  EXPECT_EQ(local_bytes_ > 0, GetParam().functions == Way::by_themselves);
}

// Written as two words and read as one number, so it stays in memory.
TEST_P(Calls, StructuresInOtherPieces) {
  const auto out = run(R"(
    .func (.param .b32 result) high(.param .align 8 .b8 pair[8])
    {
      .reg .b32 %r<9>; .reg .b64 %rd<9>;
      ld.param.b64 %rd1, [pair];
      shr.u64 %rd2, %rd1, 28;
      cvt.u32.u64 %r1, %rd2;
      st.param.b32 [result], %r1;
      ret;
    })",
                       R"(
    { .param .align 8 .b8 param0[8]; .param .b32 retval0;
      shl.b32 %r3, %r0, 28;
      st.param.b32 [param0], %r3;
      st.param.b32 [param0+4], %r0;
      call.uni (retval0), high, (param0);
      ld.param.b32 %r1, [retval0];
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t * 16 + t % 16) << t;
  EXPECT_GE(local_bytes_, 8u);
}

TEST_P(Calls, RegistersAsParameters) {
  const auto out = run(R"(
    .func (.reg .b32 %sum, .reg .b32 %difference) both(.reg .b32 %a, .reg .b32 %b)
    {
      add.u32 %sum, %a, %b;
      sub.u32 %difference, %a, %b;
      ret;
    }
    .func (.param .b32 result) plus(.param .b32 a, .param .b32 b)
    {
      .reg .b32 %r<4>;
      ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b];
      add.u32 %r3, %r1, %r2;
      st.param.b32 [result], %r3;
    })",
                       R"(
    call (%r3, %r4), both, (%r0, 3);
    mul.lo.u32 %r5, %r3, %r4;
    call.uni (%r1), plus, (%r5, %r0);
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], (t + 3) * (t - 3) + t) << t;
}

TEST_P(Calls, FunctionsKeepArraysOfTheirOwn) {
  const auto out = run(R"(
    .func (.param .b32 result) pick(.param .b32 n)
    {
      .local .align 4 .b8 depot[16];
      .reg .b32 %r<9>; .reg .b64 %rd<9>;
      ld.param.b32 %r1, [n];
      mov.u64 %rd1, depot;
      cvta.local.u64 %rd2, %rd1;
      st.local.u32 [%rd1], %r1;
      add.u32 %r2, %r1, 10;
      st.local.u32 [%rd1+4], %r2;
      st.u32 [%rd2+8], 77;
      and.b32 %r3, %r1, 1;
      mul.wide.u32 %rd3, %r3, 8;
      add.s64 %rd4, %rd2, %rd3;
      ld.u32 %r4, [%rd4];
      st.param.b32 [result], %r4;
      ret;
    })",
                       R"(
    { .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0], %r0;
      call (retval0), pick, (param0);
      ld.param.b32 %r1, [retval0];
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t % 2 ? 77 : t) << t;
}

TEST_P(Calls, BranchesByIndexInFunctions) {
  const auto out = run(R"(
    .func (.param .b32 result) choose(.param .b32 n)
    {
      .reg .b32 %r<9>;
      ld.param.b32 %r1, [n];
      and.b32 %r2, %r1, 3;
      $L_brx_0: .branchtargets A, B, C, A;
      brx.idx %r2, $L_brx_0;
    A:
      mov.u32 %r3, 1;
      bra MEET;
    B:
      mov.u32 %r3, 2;
      bra MEET;
    C:
      mov.u32 %r3, 3;
    MEET:
      st.param.b32 [result], %r3;
      ret;
    })",
                       R"(
    { .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0], %r0;
      call (retval0), choose, (param0);
      ld.param.b32 %r3, [retval0];
    }
    shr.u32 %r4, %r0, 2;
    { .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0], %r4;
      call (retval0), choose, (param0);
      ld.param.b32 %r5, [retval0];
    }
    mad.lo.u32 %r1, %r3, 10, %r5;
  )");
  const uint32_t wanted[] = {1, 2, 3, 1};
  for (uint32_t t = 0; t < out.size(); ++t)
    EXPECT_EQ(out[t], wanted[t % 4] * 10 + wanted[t / 4 % 4]) << t;
}

TEST_P(Calls, ByAddress) {
  const auto out = run(R"(
    .func (.param .b32 result) method0(.param .b32 n)
    { .reg .b32 %r<4>; ld.param.b32 %r1, [n]; add.u32 %r2, %r1, 1; st.param.b32 [result], %r2; ret; }
    .func (.param .b32 result) method1(.param .b32 n)
    { .reg .b32 %r<4>; ld.param.b32 %r1, [n]; mul.lo.u32 %r2, %r1, 3; st.param.b32 [result], %r2; ret; }
    .func (.param .b32 result) method2(.param .b32 n)
    { .reg .b32 %r<4>; ld.param.b32 %r1, [n]; shl.b32 %r2, %r1, 4; st.param.b32 [result], %r2; ret; }
    .func (.param .b32 result) never(.param .b32 n)
    { st.param.b32 [result], 5; ret; }
    .global .align 8 .u64 table[3] = {method0, method1, method2};
    )",
                       R"(
    rem.u32 %r3, %r0, 3;
    mul.wide.u32 %rd3, %r3, 8;
    mov.u64 %rd4, table;
    add.s64 %rd5, %rd4, %rd3;
    ld.global.u64 %rd6, [%rd5];
    { .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0], %r0;
      prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (retval0), %rd6, (param0), prototype_0;
      ld.param.b32 %r1, [retval0];
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t)
    EXPECT_EQ(out[t], t % 3 == 0 ? t + 1 : t % 3 == 1 ? 3 * t : 16 * t) << t;
}

// Only the lanes without a function stop the kernel, and the address that they called is told.
TEST_P(Calls, ByAnAddressThatIsNoFunction) {
  for (const bool recursive : {false, true}) {
    const std::string text = module_of(".param .u64 out", R"(
      .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
      mov.u32 %r0, %tid.x; mov.u64 %rd1, method0;
      setp.ge.u32 %p1, %r0, 40; @%p1 mov.u64 %rd1, 0x1234567890;
      { prototype_0: .callprototype _ (.param .b32 _);
        .param .b32 n; st.param.b32 [n], %r0; call %rd1, (n), prototype_0; }
      ret;)",
                                       std::string(R"(
      .func method0(.param .b32 n)
      { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>; ld.param.b32 %r1, [n];
        setp.eq.u32 %p1, %r1, 0; @%p1 ret; shr.u32 %r1, %r1, 1;)") +
                                           (recursive ? R"(
        mov.u64 %rd1, method0;
        { prototype_1: .callprototype _ (.param .b32 _);
          .param .b32 m; st.param.b32 [m], %r1; call %rd1, (m), prototype_1; })"
                                                      : "") +
                                           " ret; }");
    Kernel kernel(text, "kernel", GetParam().vectors, {{1, 1, 1}, {64, 1, 1}},
                  GetParam().request());
    kernel.place("method0", functions_);
    EXPECT_EQ(kernel(nullptr), Status::stopped);
    ASSERT_EQ(kernel.faults().size(), 1u);
    EXPECT_EQ(kernel.faults()[0].warp, 1u);
    EXPECT_EQ(kernel.faults()[0].mask, 0xffffff00u);
    EXPECT_EQ(kernel.faults()[0].address, 0x1234567890u);
  }
}

// These use module memory that no kernel names, local variables, other lanes, and their block's
// number.
constexpr std::string_view neighbours = R"(
  .shared .align 4 .b32 box[64];
  .func (.param .b32 result) put(.param .b32 n)
  { .reg .pred %p<2>; .reg .b32 %r<9>; .local .align 4 .b32 mine[2]; .shared .align 4 .b32 last;
    ld.param.b32 %r1, [n];
    st.local.b32 [mine+4], %r1;
    shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, -1;
    mov.u32 %r3, box; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
    st.shared.b32 [%r3], %r2;
    st.shared.b32 [last], 7;
    ld.local.b32 %r5, [mine+4];
    mov.u32 %r6, %ctaid.x;
    mad.lo.u32 %r7, %r6, 100, %r5;
    st.param.b32 [result], %r7; ret; }
  .func (.param .b32 result) take(.param .b32 n)
  { .reg .b32 %r<9>;
    ld.param.b32 %r1, [n];
    add.u32 %r1, %r1, 1; and.b32 %r1, %r1, 63;
    mov.u32 %r3, box; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
    ld.shared.b32 %r2, [%r3];
    st.param.b32 [result], %r2; ret; }
)";
// `to` = function(`from`)
std::string calling(std::string_view function, std::string_view from, std::string_view to) {
  return "{ .param .b32 given; .param .b32 taken; st.param.b32 [given], " + std::string(from) +
         "; call (taken), " + std::string(function) + ", (given); ld.param.b32 " + std::string(to) +
         ", [taken]; }\n";
}

TEST_P(Calls, KnowTheBlockOfTheirCaller) {
  const auto out = run(neighbours, calling("put", "%r0", "%r1"), 64, 5);
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], 400 + t) << t;  // of the last block
}

TEST_P(Calls, ShareMemoryWithThoseBehindABarrier) {
  const auto out = run(neighbours, calling("put", "%r0", "%r1") + "bar.sync 0;\n" +
                                       calling("take", "%r0", "%r2") + "bar.sync 0;\n" +
                                       calling("put", "%r1", "%r3") + R"(
    mad.lo.u32 %r1, %r2, 1000, %r1;
    mad.lo.u32 %r1, %r3, 1000000, %r1;
  )");
  for (uint32_t t = 0; t < out.size(); ++t)
    EXPECT_EQ(out[t], t + 1000 * (((t + 1) & 63) ^ 1) + 1000000 * t) << t;
}

// The caller's copy has a smaller alignment.
TEST_P(Calls, TakeAStructureFromWhereItLies) {
  const auto out = run(R"(
    .func (.param .b32 result) digits(.param .align 8 .b8 pair[8])
    { .reg .b32 %r<9>;
      ld.param.b32 %r1, [pair]; ld.param.b32 %r2, [pair+4];
      mad.lo.u32 %r1, %r2, 1000, %r1;
      st.param.b32 [result], %r1; ret; }
    )",
                       R"(
    { .param .align 4 .b8 odd[12]; .param .align 4 .b8 given[8]; .param .b32 taken;
      st.param.b32 [odd+4], 1; ld.param.u8 %r2, [odd+4];
      st.param.b32 [given], %r0; st.param.b32 [given+4], 5;
      call.uni (taken), digits, (given); ld.param.b32 %r1, [taken]; }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], 5000 + t) << t;
}

// The function that calls itself keeps its values on the stack; the one that it calls has a fixed
// place below.
TEST_P(Calls, AreCalledByThoseThatCallThemselves) {
  const auto out = run(std::string(R"(
    .func (.param .b32 result) square(.param .b32 n)
    { .reg .b32 %r<4>; .local .align 4 .b32 mine;
      ld.param.b32 %r1, [n]; st.local.b32 [mine], %r1; ld.local.b32 %r2, [mine];
      mul.lo.u32 %r3, %r1, %r2; st.param.b32 [result], %r3; ret; }
    .func (.param .b32 result) squares(.param .b32 n)
    { .reg .pred %p<2>; .reg .b32 %r<9>;
      ld.param.b32 %r1, [n]; mov.u32 %r4, 0;
      setp.eq.u32 %p1, %r1, 0; @%p1 bra $L_done;
      sub.u32 %r2, %r1, 1;
      )") + calling("squares", "%r2", "%r4") +
                           calling("square", "%r1", "%r3") + R"(
      add.u32 %r4, %r4, %r3;
    $L_done:
      st.param.b32 [result], %r4; ret; }
    )",
                       "and.b32 %r2, %r0, 15;\n" + calling("squares", "%r2", "%r1"));
  for (uint32_t t = 0; t < out.size(); ++t) {
    const uint32_t n = t % 16;
    EXPECT_EQ(out[t], n * (n + 1) * (2 * n + 1) / 6) << t;
  }
}

TEST_P(Calls, LeaveAloneWhatTheKernelHasAllocated) {
  const auto out = run(neighbours, R"(
    alloca.u64 %rd5, 64, 16;
    st.local.u32 [%rd5], %r0;
    st.local.u32 [%rd5+60], 5;
  )" + calling("put", "%r0", "%r1") + R"(
    ld.local.u32 %r2, [%rd5];
    ld.local.u32 %r3, [%rd5+60];
    mad.lo.u32 %r1, %r2, 100, %r1;
    mad.lo.u32 %r1, %r3, 10000, %r1;
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], 50000 + 101 * t) << t;
}

constexpr std::string_view provided = R"(
  .extern .func (.param .b64 retval) malloc(.param .b64 size);
  .extern .func (.param .b32 retval) vprintf(.param .b64 format, .param .b64 arguments);
  .extern .func free(.param .b64 address);
  .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,
                             .param .b64 e) .noreturn;
)";

// In these tests, the helper for calls by address returns the function's number, the count of the
// parameters and the first parameter. Line directives and comments may stand between an instruction
// and the semicolon before it.
TEST_P(Calls, ByAddressThatIsTakenBehindALineOfTheSource) {
  const auto out = run(R"(
    .file 1 "a.cu"
    .func (.param .b32 result) method0(.param .b32 n)
    { .reg .b32 %r<4>; ld.param.b32 %r1, [n]; add.u32 %r2, %r1, 1; st.param.b32 [result], %r2; ret; }
    .func (.param .b32 result) method1(.param .b32 n)
    { .reg .b32 %r<4>; ld.param.b32 %r1, [n]; mul.lo.u32 %r2, %r1, 3; st.param.b32 [result], %r2; ret; }
    )",
                       R"(
    rem.u32 %r3, %r0, 3;
    setp.eq.u32 %p1, %r3, 0;
    .loc 1 7 3
    mov.u64 %rd6, method0;
    // the other
    .loc 1 8 3, function_name $L_info, inlined_at 1 2 3
    @%p1 mov.u64 %rd6, method1;
    { .param .b32 param0; .param .b32 retval0;
      st.param.b32 [param0], %r0;
      prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (retval0), %rd6, (param0), prototype_0;
      ld.param.b32 %r1, [retval0];
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t % 3 == 0 ? 3 * t : t + 1) << t;
}

TEST_P(Calls, WhatTheMachineProvides) {
  const auto out = run(provided, R"(
    { .param .b64 param0; .param .b64 retval0;
      cvt.u64.u32 %rd3, %r0;
      st.param.b64 [param0], %rd3;
      call.uni (retval0), malloc, (param0);
      ld.param.b64 %rd4, [retval0];
    }
    { .param .b64 param0; .param .b64 param1; .param .b32 retval0;
      st.param.b64 [param0], %rd4;
      st.param.b64 [param1], 0;
      call.uni (retval0), vprintf, (param0, param1);
      ld.param.b32 %r1, [retval0];
    }
    { .param .b64 param0;
      st.param.b64 [param0], %rd4;
      call.uni free, (param0);
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], 1001 + t + 2) << t;
}

TEST_P(Calls, NothingIsBehindAFunctionThatNeverReturns) {
  const auto out = run(provided, R"(
    mov.u32 %r1, 8;
    setp.lt.u32 %p1, %r0, 33;
    @%p1 bra BEHIND;
    { .param .b64 param0; .param .b64 param1; .param .b32 param2; .param .b64 param3;
      .param .b64 param4;
      st.param.b64 [param0], 1; st.param.b64 [param1], 2; st.param.b32 [param2], 3;
      st.param.b64 [param3], 4; st.param.b64 [param4], 1;
      call.uni __assertfail, (param0, param1, param2, param3, param4);
    }
    mov.u32 %r1, 9;
  BEHIND:
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t < 33 ? 8 : 0xdead) << t;
}

TEST_P(Calls, WhatCannotBeCalledIsRefusedByNameAndLine) {
  const auto error_of = [&](std::string_view functions, std::string_view callee) {
    const std::string text = module_of("", "call " + std::string(callee) + ";\nret;", functions);
    CompileRequest request = GetParam().request();
    request.text = text;
    request.entry = "kernel";
    request.vectors = GetParam().vectors;
    CompiledKernel result;
    cuvette_jit_compile(request, result);
    return std::to_string(result.error_line) + " " + result.error;
  };
  EXPECT_EQ(error_of(".extern .func strange();", "strange"),
            "7 nothing here provides the function 'strange'");
}

constexpr std::string_view fibonacci = R"(
  .func (.param .b32 result) fibonacci(.param .b32 n)
  {
    .reg .pred %p<4>; .reg .b32 %r<9>;
    ld.param.b32 %r1, [n];
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra $SMALL;
    add.u32 %r2, %r1, -1;
    {
      .param .b32 param0;
      st.param.b32 [param0], %r2;
      .param .b32 retval0;
      call.uni (retval0), fibonacci, (param0);
      ld.param.b32 %r3, [retval0];
    }
    add.u32 %r2, %r1, -2;
    {
      .param .b32 param0;
      st.param.b32 [param0], %r2;
      .param .b32 retval0;
      call.uni (retval0), fibonacci, (param0);
      ld.param.b32 %r4, [retval0];
    }
    add.u32 %r1, %r3, %r4;
  $SMALL:
    st.param.b32 [result], %r1;
    ret;
  })";

TEST_P(Calls, FunctionsThatCallThemselvesKeepWhatTheyNeed) {
  const auto out = run(fibonacci, R"(
    rem.u32 %r2, %r0, 11;
    {
      .param .b32 param0;
      st.param.b32 [param0], %r2;
      .param .b32 retval0;
      call.uni (retval0), fibonacci, (param0);
      ld.param.b32 %r1, [retval0];
    }
  )");
  const uint32_t numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], numbers[t % 11]) << t;
}

// Two functions call each other; each activation has a variable of its own.
TEST_P(Calls, FunctionsThatCallEachOtherHaveVariablesForEachCall) {
  const auto out = run(R"(
  .func (.param .b32 result) odd(.param .b32 n);
  .func (.param .b32 result) even(.param .b32 n)
  {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    .local .align 4 .b8 kept[8];
    ld.param.b32 %r1, [n];
    mov.u64 %rd1, kept;
    st.local.u32 [%rd1+4], %r1;
    mov.u32 %r3, 0;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $DONE;
    add.u32 %r2, %r1, -1;
    {
      .param .b32 param0;
      st.param.b32 [param0], %r2;
      .param .b32 retval0;
      call.uni (retval0), odd, (param0);
      ld.param.b32 %r3, [retval0];
    }
  $DONE:
    ld.local.u32 %r4, [kept+4];
    add.u32 %r3, %r3, %r4;
    st.param.b32 [result], %r3;
    ret;
  }
  .func (.param .b32 result) odd(.param .b32 n)
  {
    .reg .pred %p<4>; .reg .b32 %r<9>;
    ld.param.b32 %r1, [n];
    mov.u32 %r3, 1000;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra $DONE;
    add.u32 %r2, %r1, -1;
    {
      .param .b32 param0;
      st.param.b32 [param0], %r2;
      .param .b32 retval0;
      call.uni (retval0), even, (param0);
      ld.param.b32 %r3, [retval0];
    }
  $DONE:
    st.param.b32 [result], %r3;
    ret;
  })",
                       R"(
    rem.u32 %r2, %r0, 9;
    {
      .param .b32 param0;
      st.param.b32 [param0], %r2;
      .param .b32 retval0;
      call.uni (retval0), even, (param0);
      ld.param.b32 %r1, [retval0];
    }
  )");
  for (uint32_t t = 0; t < out.size(); ++t) {
    uint32_t sum = t % 9 % 2 ? 1000 : 0;
    for (uint32_t n = t % 9;; n -= 2) {
      sum += n;
      if (n < 2) break;
    }
    EXPECT_EQ(out[t], sum) << t;
  }
}

TEST_P(Calls, AStackThatRunsOverIsAFault) {
  const std::string text = module_of(".param .u64 out", R"(
    {
      call.uni endless;
    }
    ret;)",
                                     ".func endless() { call endless; ret; }");
  Kernel kernel(text, "kernel", GetParam().vectors, {}, GetParam().request());
  EXPECT_EQ(kernel(nullptr), Status::stopped);
  ASSERT_FALSE(kernel.faults().empty());
  EXPECT_TRUE(kernel.faults()[0].access & access_local);
}

// Each lane gets as much as it asks for, and can get it again after giving it back.
TEST_P(Calls, MemoryOfASizeThatIsKnownLate) {
  const auto out = run("", R"(
    rem.u32 %r2, %r0, 7;
    add.u32 %r2, %r2, 1;
    mul.wide.u32 %rd3, %r2, 4;
    stacksave.u64 %rd4;
    mov.u32 %r1, 0;
    mov.u32 %r3, 0;
  $L_again:
    alloca.u64 %rd5, %rd3, 16;
    mov.u32 %r4, 0;
  $L_fill:
    mul.wide.u32 %rd6, %r4, 4;
    add.s64 %rd6, %rd5, %rd6;
    add.u32 %r5, %r4, %r0;
    st.local.u32 [%rd6], %r5;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, %r2;
    @%p1 bra $L_fill;
    alloca.u64 %rd7, 40, 64;
    st.local.u32 [%rd7+36], 99;
    cvta.local.u64 %rd8, %rd5;
    ld.local.u32 %r6, [%rd6];
    ld.u32 %r7, [%rd8];
    mad.lo.u32 %r1, %r6, 10, %r1;
    add.u32 %r1, %r1, %r7;
    cvt.u32.u64 %r8, %rd7;
    and.b32 %r8, %r8, 63;
    add.u32 %r1, %r1, %r8;
    stackrestore.u64 %rd4;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 300;
    @%p1 bra $L_again;
  )");
  for (uint32_t t = 0; t < out.size(); ++t) {
    const uint32_t n = t % 7 + 1;
    EXPECT_EQ(out[t], 300 * ((n - 1 + t) * 10 + t)) << t;
  }
}

// The code size of a kernel that calls a function of 900 instructions `calls` times. It is compiled
// for AVX-512, which this processor need not have: without it, a separate function's masks make its
// code longer.
size_t code_size(int calls, uint32_t most_in_place, std::string_view last = "",
                 uint32_t most_copied = UINT32_MAX) {
  std::string function =
      ".func (.param .b32 result) long_one(.param .b32 n)\n"
      "{ .reg .b32 %r<4>; ld.param.b32 %r1, [n];\n";
  for (int n = 0; n < 900; ++n)
    function += "mad.lo.u32 %r1, %r1, %r1, " + std::to_string(n) + ";\n";
  function += std::string(last) + "st.param.b32 [result], %r1; ret; }";
  std::string body = ".reg .b32 %r<4>; .reg .b64 %d<2>; mov.u32 %r1, %tid.x;\n";
  for (int n = 0; n < calls; ++n) body += calling("long_one", "%r1", "%r1");
  CompileRequest request;
  request.most_in_place = most_in_place;
  request.most_copied = most_copied;
  const std::string text =
      module_of(".param .u64 out", body + "ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r1; ret;",
                function);
  return Kernel(text, "kernel", Vectors::avx512, {}, request).compiled().code.size();
}

TEST(find_separate, TakesLargeFunctionsOfLargeKernelsAlone) {
  constexpr uint32_t usual = CompileRequest{}.most_in_place, never = UINT32_MAX;
  EXPECT_EQ(code_size(4, usual), code_size(4, never));
  EXPECT_LT(2 * code_size(5, usual), code_size(5, never));
  // A function that may wait is inlined.
  const char* const waits = "nanosleep.u32 10;\n";
  EXPECT_EQ(code_size(5, usual, waits), code_size(5, never, waits));
}

TEST(find_placed_once, TakesWhatCannotBeByItselfInLargerKernelsAlone) {
  constexpr uint32_t usual = CompileRequest{}.most_in_place, never = UINT32_MAX;
  const char* const waits = "nanosleep.u32 10;\n";
  EXPECT_EQ(code_size(5, usual, waits, 6000), code_size(5, usual, waits, never));
  EXPECT_LT(2 * code_size(5, usual, waits, 2000), code_size(5, usual, waits, never));
}

// Kernels that call the same functions share their code if functions are placed once; each has its
// own entry point and finds its own parameters.
constexpr std::string_view kernels_alike = R"(
  .func (.param .b32 result) both(.param .b32 n)
  { .reg .b32 %r<4>; ld.param.b32 %r1, [n]; bar.sync 0; add.u32 %r1, %r1, 1; bar.sync 0;
    mul.lo.u32 %r1, %r1, 3; add.u32 %r1, %r1, 7; xor.b32 %r1, %r1, 5; add.u32 %r1, %r1, 9;
    add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; st.param.b32 [result], %r1; ret; }
  .visible .entry first(.param .u64 out)
  { .reg .b32 %r<4>; .reg .b64 %d<3>; mov.u32 %r0, %tid.x;
    { .param .b32 g, t; st.param.b32 [g], %r0; call (t), both, (g); ld.param.b32 %r1, [t]; }
    ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;
    st.global.u32 [%d0], %r1; ret; }
  .visible .entry second(.param .b32 add, .param .u64 out)
  { .reg .b32 %r<4>; .reg .b64 %d<3>; mov.u32 %r0, %tid.x; ld.param.u32 %r2, [add];
    { .param .b32 g, t; st.param.b32 [g], %r2; call (t), both, (g); ld.param.b32 %r1, [t]; }
    mov.u64 %d2, out; ld.param.u64 %d0, [%d2]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;
    st.global.u32 [%d0], %r1; }
  .visible .entry shares(.param .u64 out)
  { .reg .b32 %r<4>; .reg .b64 %d<3>; .shared .b32 own; mov.u32 %r0, 4; st.shared.b32 [own], %r0;
    { .param .b32 g, t; st.param.b32 [g], %r0; call (t), both, (g); ld.param.b32 %r1, [t]; }
    ld.param.u64 %d0, [out]; st.global.u32 [%d0], %r1; ret; }
)";
// Only the compiler finds this error.
constexpr std::string_view refused = R"(
  .extern .func nowhere();
  .visible .entry wrong(.param .u64 out)
  { .reg .b32 %r<4>; { .param .b32 g, t; st.param.b32 [g], %r0; call (t), both, (g); }
    call nowhere; ret; }
)";
uint32_t both(uint32_t n) { return (((n + 1) * 3 + 7) ^ 5) + 12; }

TEST(find_kernels_alike, EachRunsAsItself) {
  for (const Vectors vectors : vectors_here()) {
    CompileRequest request;
    request.most_copied = 0;
    const std::string text = module_of("", "ret;", kernels_alike);
    std::vector<uint32_t> out(64);
    Kernel first(text, "first", vectors, {.threads = {64, 1, 1}}, request);
    ASSERT_EQ(first.compiled().others.size(), 1u);
    EXPECT_EQ(first.compiled().others[0].name, "second");
    ASSERT_EQ(first(out.data()), Status::finished);
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], both(t));
    Kernel second(text, "second", vectors, {.threads = {64, 1, 1}}, request);
    ASSERT_EQ(second.compiled().others.size(), 1u);
    EXPECT_EQ(second.compiled().others[0].name, "first");
    EXPECT_NE(second.compiled().others[0].offset, second.compiled().entry_offset);
    ASSERT_EQ(second(50u, out.data()), Status::finished);
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], both(50));
    Kernel shares(text, "shares", vectors, {.threads = {64, 1, 1}}, request);
    EXPECT_TRUE(shares.compiled().others.empty());
    ASSERT_EQ(shares(out.data()), Status::finished);
    EXPECT_EQ(out[0], both(4));
    // If one of the kernels cannot be compiled, each has its own code.
    Kernel alone(text + std::string(refused), "second", vectors, {.threads = {64, 1, 1}}, request);
    EXPECT_TRUE(alone.compiled().others.empty());
    ASSERT_EQ(alone(60u, out.data()), Status::finished);
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], both(60));
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Calls, testing::ValuesIn(ways_here()), [](const auto& info) {
  return name_of(info.param.vectors) + (info.param.functions == Way::in_place ? "_in_place"
                                        : info.param.functions == Way::once   ? "_once"
                                                                              : "_by_themselves");
});

}  // namespace
}  // namespace cuvette::ptx::test
