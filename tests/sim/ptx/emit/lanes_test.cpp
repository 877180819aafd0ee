// SPDX-License-Identifier: Apache-2.0
// Numbers and addresses in the lanes of a warp, where what holds for all lanes is easily
// overestimated.
#include <algorithm>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Lanes : public ThreadResults {
 protected:
  std::vector<uint32_t> run(std::string_view body, uint32_t threads = 32) {
    return ThreadResults::run(body, threads);
  }
  // The same with %rd3 as the address of the flags that threads wait for.
  std::vector<uint32_t> run(std::string_view body, std::vector<uint32_t> flags, uint32_t threads) {
    const std::string text = module_of(".param .u64 out, .param .u64 flags", std::string(R"(
      .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;
      ld.param.u64 %rd0, [out];
      ld.param.u64 %rd3, [flags];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 4;
      add.s64 %rd1, %rd0, %rd2;
    )") + std::string(body) + "st.global.u32 [%rd1], %r1;\nret;");
    std::vector<uint32_t> out(threads);
    Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {threads, 1, 1}});
    EXPECT_EQ(kernel(out.data(), flags.data()), Status::finished);
    return out;
  }
};

// x / 3 as compilers write it.
TEST_P(Lanes, AFactorOfAnUnsignedProductHasNoSign) {
  const auto out = run(R"(
    mul.wide.u32 %rd3, %r0, -1431655765;
    shr.u64 %rd3, %rd3, 33;
    cvt.u32.u64 %r1, %rd3;
  )",
                       64);
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t / 3) << t;
}

TEST_P(Lanes, ACarryIsEachLanesOwnWhereOperandsAreTheSame) {
  const auto out = run(R"(
    mov.u32 %r2, 0;
    add.u32 %r3, %r0, -16;
    add.cc.u32 %r4, %r3, 16;
    addc.u32 %r1, %r2, %r2;
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t < 16 ? 1 : 0) << t;
}

// The first lanes' addresses are below the variable, but these lanes do not read.
TEST_P(Lanes, ALineMayBeginBelowSharedMemory) {
  const auto out = run(R"(
    .shared .align 4 .b32 values[32];
    mov.u32 %r2, values;
    shl.b32 %r3, %r0, 2;
    add.u32 %r4, %r2, %r3;
    st.shared.u32 [%r4], %r0;
    mov.u32 %r1, 77;
    setp.lt.u32 %p1, %r0, 4;
    @%p1 bra BEHIND;
    ld.shared.u32 %r1, [%r4+-16];
  BEHIND:
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t < 4 ? 77 : t - 4) << t;
}

TEST_P(Lanes, HalvesOfAPairAreComparedApart) {
  const auto out = run(R"(
    mov.b32 %r2, 0x3c004000;
    mov.b32 %r3, 0x40003c00;
    set.gt.u32.f16x2 %r1, %r2, %r3;
  )");
  EXPECT_EQ(out[0], 0x0000ffffu);
}

// Lane 0 waits for the other warp. The others must not pass the barrier before lane 0 arrives,
// whether its members are written in the text, in a register with one number, or computed.
TEST_P(Lanes, WhoDoesNotSpinWaitsWhereTheWarpIsGathered) {
  for (const char* members :
       {"bar.warp.sync -1;", "mov.b32 %r9, -1; mov.b32 %r8, %r9; bar.warp.sync %r8;",
        "sub.u32 %r9, %r3, 1; bar.warp.sync %r9;"}) {
    const auto out = run(std::string(R"(
    .shared .align 4 .b32 answer;
    mov.u32 %r3, %ctaid.x;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra OTHER;
    setp.ne.u32 %p2, %r0, 0;
    @%p2 bra MEET;
  SPIN:
    ld.volatile.global.u32 %r2, [%rd3];
    setp.eq.u32 %p3, %r2, 0;
    @%p3 bra SPIN;
    st.shared.u32 [answer], %r2;
  MEET:
    )") + members + R"(
    ld.shared.u32 %r1, [answer];
    bra WRITE;
  OTHER:
    nanosleep.u32 100;
    mov.u32 %r3, 42;
    st.volatile.global.u32 [%rd3], %r3;
    mov.u32 %r1, 1;
  WRITE:
    bar.sync 0;
  )",
                         {0}, 64);
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 32 ? 42 : 1) << members << t;
  }
}

// Groups of eight lanes. The first lane of each group waits until the group before has met.
TEST_P(Lanes, AGroupThatHasComeDoesNotWaitForOthers) {
  const auto out = run(R"(
    shr.u32 %r2, %r0, 3;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd3, %rd3, %rd4;
    and.b32 %r3, %r0, 24;
    mov.u32 %r4, 255;
    shl.b32 %r4, %r4, %r3;
    and.b32 %r5, %r0, 7;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra MEET;
  SPIN:
    ld.volatile.global.u32 %r6, [%rd3];
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra SPIN;
  MEET:
    shfl.sync.idx.b32 %r1, %r6, 0, 0x181f, %r4;
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd3+4], %r1;
  )",
                       {5, 0, 0, 0, 0}, 32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 6 + t / 8) << t;
}

// Lane 0 spins and the rest of its half waits for it, while a lane of the other half sets what lane
// 0 waits for.
TEST_P(Lanes, WhoWaitsForAMemberDoesNotHoldUpOtherWays) {
  const auto out = run(R"(
    setp.ge.u32 %p1, %r0, 16;
    @%p1 bra OTHER;
    setp.ne.u32 %p2, %r0, 0;
    @%p2 bra MEET;
  SPIN:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.ne.u32 %p3, %r2, 9;
    @%p3 bra SPIN;
  MEET:
    shfl.sync.idx.b32 %r1, %r2, 0, 0x1f, 0xffff;
    bra DONE;
  OTHER:
    mov.u32 %r1, 5;
    setp.ne.u32 %p2, %r0, 20;
    @%p2 bra DONE;
    mov.u32 %r3, 9;
    st.volatile.global.u32 [%rd1+-80], %r3;
  DONE:
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t < 16 ? 9 : 5) << t;
}

// On an H100, lanes may meet from two places in the text (it gave 30 and 3).
TEST_P(Lanes, WhoMeetsFromTwoPlacesIsNotStuck) {
  const auto out = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    and.b32 %r3, %r0, 1;
    setp.ne.u32 %p1, %r3, 0;
    st.global.u32 [%rd1], %r2;
  TURN:
    ld.volatile.global.u32 %r4, [%rd1];
    @%p1 bra ODD;
    add.u32 %r1, %r1, 10;
    bar.warp.sync -1;
    xor.b32 %r1, %r1, %r4;
    bra NEXT;
  ODD:
    bar.warp.sync -1;
    add.u32 %r1, %r1, 1;
    add.u32 %r1, %r1, %r4;
  NEXT:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 3;
    @%p2 bra TURN;
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t % 2 ? 3 : 30) << t;
}

// In each turn of a loop, another lane is late at the place where its half of the warp meets: it
// waits for the other warp, which waits for this lane's turn.
TEST_P(Lanes, MembersMeetInEachTurnOfALoop) {
  const auto out = run(R"(
    and.b32 %r2, %r0, 31;
    and.b32 %r3, %r0, 16;
    cvt.u64.u32 %rd4, %r3;
    add.s64 %rd3, %rd3, %rd4;
    mov.u32 %r4, 0xffff;
    shl.b32 %r4, %r4, %r3;
    mov.u32 %r1, 0;
    mov.u32 %r7, 0;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra HELP;
  TURN:
    setp.ne.u32 %p2, %r2, %r7;
    @%p2 bra MEET;
    mov.u32 %r8, 1;
    st.volatile.global.u32 [%rd3], %r8;
  SPIN:
    ld.volatile.global.u32 %r6, [%rd3];
    setp.ne.u32 %p3, %r6, 2;
    @%p3 bra SPIN;
  MEET:
    vote.sync.ballot.b32 %r9, %p2, %r4;
    popc.b32 %r10, %r9;
    add.u32 %r1, %r1, %r10;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p4, %r7, 32;
    @%p4 bra TURN;
    bra WRITE;
  HELP:
    setp.ne.u32 %p5, %r2, %r3;
    @%p5 bra WRITE;
  NEXT:
    ld.volatile.global.u32 %r6, [%rd3];
    setp.ne.u32 %p3, %r6, 1;
    @%p3 bra NEXT;
    mov.u32 %r8, 2;
    st.volatile.global.u32 [%rd3], %r8;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p4, %r7, 16;
    @%p4 bra NEXT;
  WRITE:
  )",
                       {0, 0, 0, 0, 0}, 64);
  // In 16 of the turns a member of the half is late and votes no.
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 32 ? 32 * 16 - 16 : 0) << t;
}

TEST_P(Lanes, APlaceOfItsOwnAmongParametersHasAValueOfItsOwn) {
  const std::string text = module_of(".param .u64 out, .param .align 8 .b8 bytes[40]", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    cvt.u64.u32 %rd1, %r0;
    mov.b64 %rd2, bytes;
    add.s64 %rd3, %rd2, %rd1;
    ld.param.u8 %r1, [%rd3+1];
    mul.wide.u32 %rd4, %r0, 4;
    add.s64 %rd5, %rd0, %rd4;
    st.global.u32 [%rd5], %r1;
    ret;)");
  struct {
    uint32_t* out;
    uint8_t bytes[40];
  } parameters;
  uint32_t out[32] = {};
  parameters.out = out;
  for (uint32_t n = 0; n < 40; ++n) parameters.bytes[n] = static_cast<uint8_t>(n * n + 3);
  Kernel kernel(text, "kernel", GetParam());
  EXPECT_EQ(kernel(parameters), Status::finished);
  for (uint32_t n = 0; n < 32; ++n) EXPECT_EQ(out[n], ((n + 1) * (n + 1) + 3) % 256) << n;
}

TEST_P(Lanes, EachGroupElectsALaneOfItsOwn) {
  const auto out = run(R"(
    and.b32 %r2, %r0, 28;
    shl.b32 %r3, 14, %r2;
    elect.sync %r4|%p1, %r3;
    selp.u32 %r5, 100, 0, %p1;
    and.b32 %r6, %r0, 3;
    setp.eq.u32 %p2, %r6, 0;
    selp.u32 %r4, 0, %r4, %p2;
    add.u32 %r1, %r4, %r5;)");
  for (uint32_t t = 0; t < 32; ++t) {
    const uint32_t elected = t / 4 * 4 + 1;
    EXPECT_EQ(out[t], (t % 4 == 0 ? 0 : elected) + (t == elected ? 100 : 0)) << t;
  }
}

TEST_P(Lanes, NumbersArePackedSideBySide) {
  const auto out = run(R"(
    mul.lo.s32 %r1, %r0, 5000;
    sub.s32 %r2, 100, %r1;
    cvt.pack.sat.s16.s32 %r3, %r1, %r2;
    shr.s32 %r4, %r2, 4;
    cvt.pack.sat.u8.s32.b32 %r5, %r0, %r4, %r1;
    xor.b32 %r1, %r3, %r5;)");
  const auto kept = [](int v, int least, int most) { return std::min(std::max(v, least), most); };
  for (int t = 0; t < 32; ++t) {
    const int a = t * 5000, b = 100 - a;
    const uint32_t halves = static_cast<uint32_t>(kept(a, -32768, 32767)) << 16 |
                            (static_cast<uint32_t>(kept(b, -32768, 32767)) & 0xffff);
    const uint32_t bytes = static_cast<uint32_t>(a) << 16 | static_cast<uint32_t>(t) << 8 |
                           static_cast<uint32_t>(kept(b >> 4, 0, 255));
    EXPECT_EQ(out[static_cast<size_t>(t)], halves ^ bytes) << t;
  }
}

TEST_P(Lanes, SixteenBytesAreExchangedAtOnce) {
  const std::string text = module_of(".param .u64 place", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<5>; .reg .pred %p<3>;
    ld.param.u64 %rd0, [place];
    mov.u64 %rd1, 0;
    mov.u64 %rd2, 0;
  AGAIN:
    add.u64 %rd3, %rd1, 1;
    add.u64 %rd4, %rd2, 3;
    mov.b128 %q1, {%rd1, %rd2};
    mov.b128 %q2, {%rd3, %rd4};
    atom.global.cas.b128 %q3, [%rd0], %q1, %q2;
    mov.b128 {%rd5, %rd6}, %q3;
    setp.ne.u64 %p1, %rd5, %rd1;
    mov.u64 %rd1, %rd5;
    mov.u64 %rd2, %rd6;
    @%p1 bra AGAIN;
    ret;)");
  alignas(16) uint64_t place[2] = {};
  Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
  ASSERT_EQ(kernel(place), Status::finished);
  EXPECT_EQ(place[0], 64u);
  EXPECT_EQ(place[1], 192u);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Lanes, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
