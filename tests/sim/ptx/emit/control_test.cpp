// SPDX-License-Identifier: Apache-2.0
// Lanes that diverge and meet again.
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Control : public ThreadResults {
 protected:
  std::vector<uint32_t> run(std::string_view body, uint32_t threads = 64) {
    return ThreadResults::run(body, threads);
  }
};

TEST_P(Control, LanesThatTakeDifferentWaysKeepTheirOwnValues) {
  const auto out = run(R"(
    and.b32 %r2, %r0, 1;
    setp.eq.u32 %p1, %r2, 0;
    mov.u32 %r1, 7;
    @%p1 bra EVEN;
    add.u32 %r1, %r0, 100;
    bra MEET;
  EVEN:
    mov.u32 %r1, 5;
  MEET:
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t % 2 ? t + 100 : 5) << t;
}

TEST_P(Control, LoopsRunAsOftenAsEachLaneAsks) {
  const auto out = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r3, 0;
  LOOP:
    setp.ge.u32 %p1, %r3, %r0;
    @%p1 bra DONE;
    add.u32 %r1, %r1, %r3;
    add.u32 %r3, %r3, 1;
    bra LOOP;
  DONE:
  )",
                       50);
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t * (t - 1) / 2 * (t > 0)) << t;
}

// Spinning lanes keep the old value of a register, which is dead where all lanes meet; the lanes
// that release them write to the same register meanwhile.
TEST_P(Control, WhoSpinsDoesNotSeeWhatOthersWriteMeanwhile) {
  const auto out = run(R"(
    and.b32 %r4, %r0, 31;
    and.b32 %r5, %r0, 32;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd5, %rd0, %rd5;  // where the first lane of the warp has its result
    mul.lo.u32 %r2, %r0, 3;
    setp.ge.u32 %p1, %r4, 16;
    @%p1 bra OTHERS;
  SPIN:
    ld.volatile.global.u32 %r3, [%rd5];
    setp.ne.u32 %p2, %r3, 77;
    @%p2 bra SPIN;
    add.u32 %r1, %r2, 1;
    bra MEET;
  OTHERS:
    mov.u32 %r2, 1000;
    add.u32 %r1, %r2, %r4;
    st.volatile.global.u32 [%rd5], 77;
  MEET:
  )");
  for (uint32_t t = 0; t < out.size(); ++t)
    EXPECT_EQ(out[t], t % 32 < 16 ? 3 * t + 1 : 1000 + t % 32) << t;
}

// One side counts in a register that the other side still reads, and that is dead where they meet.
// The same with a loop that may wait for others, so that lanes take turns in any order.
TEST_P(Control, AWayDoesNotSeeWhatTheOtherCountsMeanwhile) {
  for (const char* load : {"", "ld.volatile.global.u32 %r3, [%rd1];"}) {
    const auto out = run(std::string(R"(
    mov.u32 %r2, 0;
    mov.u32 %r1, 3;
    setp.lt.u32 %p1, %r0, 7;
    @%p1 bra OTHER;
  LOOP:
    add.u32 %r1, %r1, %r2;
    add.u32 %r2, %r2, 1;
    )") + load + R"(
    setp.lt.u32 %p2, %r2, 5;
    @%p2 bra LOOP;
    bra MEET;
  OTHER:
    add.u32 %r1, %r2, 40;
  MEET:
  )");
    for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t < 7 ? 40 : 13) << load << t;
  }
}

// Lanes meet at a place that others reach, too, although on another path lanes part for good.
TEST_P(Control, AWayEndsWhereAnotherPartOfTheKernelIsInParts) {
  for (const bool other : {false, true}) {
    const auto out = run(std::string(R"(
    mov.u32 %r1, 1;
    mov.u32 %r2, )") + (other ? "1" : "0") +
                         R"(;
    add.u32 %r2, %r2, %ctaid.x;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra OTHER;
    setp.ne.u32 %p2, %r0, 5;
    @%p2 bra MEET;
    mov.u32 %r1, 2;
    bra MEET;
  OTHER:
    setp.lt.u32 %p3, %r0, 9;
    @%p3 bra MEET;
    setp.eq.u32 %p3, %r0, 20;
    @%p3 bra DONE;
    mov.u32 %r1, 7;
  MEET:
    add.u32 %r1, %r1, 10;
  DONE:
    )");
    for (uint32_t t = 0; t < out.size(); ++t)
      EXPECT_EQ(out[t], !other ? t == 5 ? 12 : 11 : t < 9 ? 11 : t == 20 ? 1 : 17) << t;
  }
}

// A counter that is the same for all lanes in the loop differs between the lanes that have left it.
TEST_P(Control, ACounterIsWhatItWasWhenTheLaneLeft) {
  const auto out = run(R"(
    mov.u32 %r1, 0;
  LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r0;
    @%p1 bra LOOP;
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], std::max(t, 1u)) << t;
}

// One exit lies in the middle, under a condition that is the same for all lanes that get there.
TEST_P(Control, LanesLeaveALoopAtSeveralPlaces) {
  const auto out = run(R"(
    mov.u32 %r1, 0;
  LOOP:
    and.b32 %r4, %r0, 3;
    setp.ne.u32 %p2, %r4, 1;
    @%p2 bra OTHER;
    setp.eq.u32 %p3, %r1, 5;
    @%p3 bra DONE;
  OTHER:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 9;
    @%p1 bra LOOP;
  DONE:
  )");
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t % 4 == 1 ? 5u : 9u) << t;
}

TEST_P(Control, InnerLoopsOfDivergentLoops) {
  const auto out = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r3, 0;
  OUTER:
    setp.ge.u32 %p1, %r3, %r0;
    @%p1 bra DONE;
    mov.u32 %r4, 0;
  INNER:
    add.u32 %r1, %r1, 1;
    add.u32 %r4, %r4, 1;
    setp.le.u32 %p2, %r4, %r3;
    @%p2 bra INNER;
    and.b32 %r5, %r3, 1;
    setp.eq.u32 %p3, %r5, 1;
    add.u32 %r3, %r3, 1;
    @%p3 bra OUTER;
    add.u32 %r1, %r1, 10;
    bra OUTER;
  DONE:
  )",
                       40);
  for (uint32_t t = 0; t < out.size(); ++t) {
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < t; ++i) wanted += i + 1 + (i % 2 ? 0 : 10);
    EXPECT_EQ(out[t], wanted) << t;
  }
}

TEST_P(Control, LanesThatReturnEarlyAreGone) {
  const auto out = run(R"(
    setp.gt.u32 %p1, %r0, 20;
    @%p1 ret;
    mov.u32 %r1, %r0;
  )",
                       40);
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t > 20 ? 0xdead : t) << t;
}

TEST_P(Control, BranchesByIndex) {
  const auto out = run(R"(
    and.b32 %r2, %r0, 3;
    ts: .branchtargets A, B, C, A;
    brx.idx %r2, ts;
  A:
    mov.u32 %r1, 1;
    bra MEET;
  B:
    mov.u32 %r1, 2;
    bra MEET;
  C:
    mov.u32 %r1, 3;
  MEET:
  )");
  const uint32_t wanted[] = {1, 2, 3, 1};
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], wanted[t % 4]) << t;
}

TEST_P(Control, PredicatesHoldForOneInstruction) {
  const auto out = run(R"(
    mov.u32 %r1, 3;
    setp.lt.u32 %p1|%p2, %r0, 10;
    @%p1 mov.u32 %r1, %r0;
    @!%p1 add.u32 %r1, %r1, 1;
    @%p2 add.u32 %r1, %r1, 1;
  )",
                       33);
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t < 10 ? t : 5) << t;
}

TEST_P(Control, BarriersSeparateWhatWarpsWriteAndRead) {
  const std::string text = module_of(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<4>;
    .shared .align 4 .b32 buffer[128];
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, buffer;
    add.u32 %r3, %r2, %r1;
    mul.lo.u32 %r4, %r0, 3;
    st.shared.u32 [%r3], %r4;
    bar.sync 0;
    xor.b32 %r5, %r1, 508;
    add.u32 %r6, %r2, %r5;
    ld.shared.u32 %r7, [%r6];
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    setp.gt.u32 %p1, %r7, 100;
    barrier.red.popc.u32 %r8, 0, %p1;
    add.u32 %r7, %r7, %r8;
    st.global.u32 [%rd2], %r7;
    ret;)");
  Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {128, 1, 1}});
  std::vector<uint32_t> out(128);
  ASSERT_EQ(kernel(out.data()), Status::finished);
  EXPECT_EQ(kernel.compiled().shared_bytes, 512u);
  for (uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], 3 * (127 - t) + 94) << t;
}

// A line (base and stride) of unsigned numbers that wraps around 2^32 in the middle of a warp.
TEST_P(Control, LinesThatRunOverAreFollowed) {
  const std::string text = module_of(".param .u64 out, .param .u32 shift", R"(
    .reg .b32 %r<6>; .reg .b64 %rd<6>;
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r5, [shift];
    mov.u32 %r0, %tid.x;
    sub.u32 %r1, %r0, %r5;
    mul.wide.u32 %rd1, %r1, 8;
    shl.b64 %rd4, %rd1, 0;
    mul.wide.u32 %rd2, %r0, 8;
    add.s64 %rd3, %rd0, %rd2;
    st.global.u64 [%rd3], %rd4;
    ret;)");
  Kernel kernel(text, "kernel", GetParam());
  std::vector<uint64_t> out(32);
  for (const uint32_t shift : {0u, 1u, 7u, 31u, 32u, 40u}) {
    ASSERT_EQ(kernel(out.data(), shift), Status::finished);
    for (uint32_t t = 0; t < 32; ++t)
      EXPECT_EQ(out[t], uint64_t{t - shift} * 8) << shift << ' ' << t;
  }
}

TEST_P(Control, AnAccessOutsideIsReportedByItsLane) {
  const std::string text = module_of(".param .u64 out", R"(
    .reg .b32 %r<6>; .reg .b64 %rd<6>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd3, %rd0, %rd2;
    st.global.u32 [%rd3], %r0;
    ret;)");
  alignas(128) uint32_t memory[32] = {};
  Kernel kernel(text, "kernel", GetParam());
  kernel.allow(memory, sizeof memory);
  EXPECT_EQ(kernel(memory), Status::finished);
  EXPECT_EQ(memory[31], 31u);
  EXPECT_EQ(kernel(memory + 2), Status::stopped);
  ASSERT_EQ(kernel.faults().size(), 1u);
  EXPECT_EQ(kernel.faults()[0].mask, 0xc0000000);
  EXPECT_EQ(kernel.faults()[0].access, 4 | access_write);
  EXPECT_EQ(kernel.faults()[0].address, reinterpret_cast<uint64_t>(memory + 32));
}

INSTANTIATE_TEST_SUITE_P(Vectors, Control, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
