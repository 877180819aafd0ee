// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, barriers in shared memory, clusters of one block.
#include <numeric>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Asynchronous : public testing::TestWithParam<Vectors> {};

TEST_P(Asynchronous, CopiesIntoSharedMemory) {
  for (const int bytes : {4, 8, 16}) {
    const std::string size = std::to_string(bytes);
    Kernel kernel(module_of(".param .u64 in, .param .u64 out", R"(
      .reg .b32 %r<9>; .reg .b64 %rd<9>;
      .shared .align 16 .b8 box[1024];
      ld.param.u64 %rd0, [in];
      ld.param.u64 %rd1, [out];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, )" + size + R"(;
      add.s64 %rd3, %rd0, %rd2;
      mov.u32 %r1, box;
      mad.lo.u32 %r2, %r0, )" + size + R"(, %r1;
      cp.async.)" + (bytes == 16 ? "cg" : "ca") + R"(.shared.global [%r2], [%rd3], )" +
                                                                   size + R"(;
      cp.async.commit_group;
      cp.async.wait_group 0;
      bar.sync 0;
      xor.b32 %r3, %r0, 63;
      mad.lo.u32 %r4, %r3, )" + size + R"(, %r1;
      ld.shared.u32 %r5, [%r4];
      ld.shared.u32 %r6, [%r4+)" + std::to_string(bytes - 4) + R"(];
      mul.wide.u32 %rd4, %r0, 8;
      add.s64 %rd5, %rd1, %rd4;
      st.global.u32 [%rd5], %r5;
      st.global.u32 [%rd5+4], %r6;
      ret;)"),
                  "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
    alignas(16) uint32_t in[256];
    std::iota(std::begin(in), std::end(in), 1000u);
    uint32_t out[128] = {};
    ASSERT_EQ(kernel(in, out), Status::finished);
    const uint32_t words = static_cast<uint32_t>(bytes) / 4;
    for (uint32_t t = 0; t < 64; ++t) {
      EXPECT_EQ(out[2 * t], in[(63 - t) * words]) << bytes << ' ' << t;
      EXPECT_EQ(out[2 * t + 1], in[(63 - t) * words + words - 1]) << bytes << ' ' << t;
    }
  }
}

// Bytes beyond the source's size are not read; zeros take their place.
TEST_P(Asynchronous, ShortSourcesAreFilledUp) {
  Kernel kernel(module_of(".param .u64 in, .param .u64 out", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .shared .align 16 .b8 box[1024];
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd2, %r0, 16;
    add.s64 %rd3, %rd0, %rd2;
    mov.u32 %r1, box;
    mad.lo.u32 %r2, %r0, 16, %r1;
    rem.u32 %r3, %r0, 17;
    cp.async.cg.shared.global [%r2], [%rd3], 16, %r3;
    cp.async.wait_all;
    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
    add.s64 %rd5, %rd1, %rd2;
    st.global.v4.u32 [%rd5], {%r4, %r5, %r6, %r7};
    ret;)"),
                "kernel", GetParam());
  alignas(16) uint8_t in[512];
  alignas(16) uint8_t out[512] = {};
  for (size_t n = 0; n < sizeof in; ++n) in[n] = static_cast<uint8_t>(n * 7 + 1);
  ASSERT_EQ(kernel(in, out), Status::finished);
  for (size_t n = 0; n < sizeof in; ++n) EXPECT_EQ(out[n], n % 16 < n / 16 % 17 ? in[n] : 0) << n;
}

TEST_P(Asynchronous, CopiesThatReadNothingMayComeFromNowhere) {
  Kernel kernel(module_of(".param .u64 in, .param .u64 out", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .shared .align 16 .b8 box[1024];
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, box;
    mad.lo.u32 %r2, %r0, 4, %r1;
    mov.u32 %r3, 0;
    cp.async.ca.shared.global [%r2], [%rd0], 4, %r3;
    cp.async.wait_all;
    ld.shared.u32 %r4, [%r2];
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd5, %rd1, %rd2;
    st.global.u32 [%rd5], %r4;
    ret;)"),
                "kernel", GetParam());
  uint32_t out[32];
  std::fill(std::begin(out), std::end(out), 1u);
  kernel.allow(out, sizeof out);
  ASSERT_EQ(kernel(uint64_t{64}, out), Status::finished);
  for (const uint32_t word : out) EXPECT_EQ(word, 0u);
}

// Warps fill a box in turns, and no thread reads it before all have arrived.
TEST_P(Asynchronous, PhasesOfABarrierInMemory) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    .shared .align 8 .b64 barrier;
    .shared .align 4 .b32 box[128];
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, barrier;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [%r1], 128;
  READY:
    bar.sync 0;
    mov.u32 %r2, box;
    shl.b32 %r3, %r0, 2;
    add.u32 %r4, %r2, %r3;
    xor.b32 %r5, %r3, 508;
    add.u32 %r6, %r2, %r5;
    mov.u32 %r7, 0;      // the turn
    mov.u32 %r8, 0;      // the sum
  TURN:
    add.u32 %r9, %r0, %r7;
    st.shared.u32 [%r4], %r9;
    mbarrier.arrive.shared::cta.b64 %rd1, [%r1];
  WAIT:
    mbarrier.try_wait.shared::cta.b64 %p2, [%r1], %rd1;
    @!%p2 bra WAIT;
    ld.shared.u32 %r10, [%r6];
    mad.lo.u32 %r8, %r8, 3, %r10;
    mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1];
  AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 1;
    @!%p2 bra AGAIN;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p3, %r7, 5;
    @%p3 bra TURN;
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd3, %rd0, %rd2;
    st.global.u32 [%rd3], %r8;
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {128, 1, 1}});
  uint32_t out[128] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  for (uint32_t t = 0; t < 128; ++t) {
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < 5; ++turn) sum = 3 * sum + (127 - t) + turn;
    EXPECT_EQ(out[t], sum) << t;
  }
}

// One lane announces the bytes and starts the copy; all lanes wait for it.
TEST_P(Asynchronous, BulkCopiesAreCounted) {
  Kernel kernel(module_of(".param .u64 in, .param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    .shared .align 8 .b64 barrier;
    .shared .align 16 .b8 box[256];
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, barrier;
    mov.u32 %r2, box;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [%r1], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r1], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], 256, [%r1];
  READY:
    bar.sync 0;
  WAIT:
    mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
    shl.b32 %r3, %r0, 2;
    add.u32 %r4, %r2, %r3;
    ld.shared.u32 %r5, [%r4];
    add.u32 %r5, %r5, 1;
    st.shared.u32 [%r4], %r5;
    bar.sync 0;
    @%p1 bra DONE;
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 256;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
  DONE:
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
  alignas(16) uint32_t in[64], out[64] = {};
  std::iota(std::begin(in), std::end(in), 500u);
  ASSERT_EQ(kernel(in, out), Status::finished);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 501 + t) << t;
}

TEST_P(Asynchronous, CountsOfABarrierInMemory) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    .shared .align 8 .b64 barrier;
    ld.param.u64 %rd0, [out];
    mov.u32 %r1, barrier;
    mbarrier.init.shared.b64 [%r1], 3;
    mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2;
    mbarrier.pending_count.b64 %r2, %rd1;
    mbarrier.arrive_drop.shared.b64 %rd2, [%r1];
    mbarrier.pending_count.b64 %r3, %rd2;
    mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;
    mbarrier.arrive.shared.b64 %rd3, [%r1];
    mbarrier.pending_count.b64 %r4, %rd3;
    mbarrier.test_wait.shared.b64 %p2, [%r1], %rd3;
    mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 8;
    mbarrier.arrive.shared.b64 _, [%r1];
    mbarrier.test_wait.shared.b64 %p3, [%r1], %rd3;
    mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 8;
    mbarrier.test_wait.shared.b64 %p4, [%r1], %rd3;
    selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 1, 0, %p2;
    selp.u32 %r7, 1, 0, %p3; selp.u32 %r8, 1, 0, %p4;
    mbarrier.inval.shared.b64 [%r1];
    st.global.v4.u32 [%rd0], {%r2, %r3, %r4, %r5};
    st.global.u32 [%rd0+16], %r6;
    st.global.u32 [%rd0+20], %r7;
    st.global.u32 [%rd0+24], %r8;
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {1, 1, 1}});
  alignas(16) uint32_t out[8] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  const uint32_t wanted[] = {3, 1, 2, 1, 0, 0, 1};
  for (int n = 0; n < 7; ++n) EXPECT_EQ(out[n], wanted[n]) << n;
}

TEST_P(Asynchronous, ClustersOfOneBlock) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    .shared .align 4 .b32 box[64];
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, box;
    shl.b32 %r2, %r0, 2;
    add.u32 %r3, %r1, %r2;
    mapa.shared::cluster.u32 %r4, %r3, 0;
    st.shared::cluster.u32 [%r4], %r0;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    xor.b32 %r5, %r2, 252;
    add.u32 %r6, %r1, %r5;
    ld.shared.u32 %r7, [%r6];
    getctarank.shared::cluster.u32 %r8, %r4;
    mad.lo.u32 %r7, %r8, 1000, %r7;
    mov.u32 %r9, %cluster_nctarank;
    mad.lo.u32 %r7, %r9, 100, %r7;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r7;
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
  uint32_t out[64] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 100 + 63 - t) << t;
}

// Of a block that the cluster does not have there is an address, which cannot be used.
TEST_P(Asynchronous, MemoryOfABlockThatIsNotThere) {
  for (const uint32_t rank : {0u, 1u, 7u, 256u, UINT32_MAX})
    for (const bool generic : {false, true}) {
      Kernel kernel(module_of(".param .u64 out, .param .u32 rank", R"(
        .reg .b32 %r<9>; .reg .b64 %rd<9>;
        .shared .align 4 .b32 box[64];
        ld.param.u64 %rd0, [out];
        ld.param.u32 %r0, [rank];
        mov.u32 %r1, box;
        cvt.u64.u32 %rd1, %r1;
        cvta.shared.u64 %rd1, %rd1;
        st.shared.u32 [%r1], 7;
        mapa.shared::cluster.u32 %r2, %r1, %r0;
        mapa.u64 %rd2, %rd1, %r0;
        )" + std::string(generic ? "st.u32 [%rd2], 9;" : "st.shared::cluster.u32 [%r2], 9;") +
                                                                       R"(
        ld.shared.u32 %r3, [%r1];
        st.global.u32 [%rd0], %r3;
        ret;)"),
                    "kernel", GetParam(), {{1, 1, 1}, {1, 1, 1}});
      uint32_t out[1] = {};
      EXPECT_EQ(kernel(out, rank), rank ? Status::stopped : Status::finished) << rank << generic;
      EXPECT_EQ(out[0], rank ? 0u : 9u);
      EXPECT_EQ(kernel.faults().size(), rank ? 1u : 0u);
    }
}

// The results of an H100 for all of these.
TEST_P(Asynchronous, TheNthSetBit) {
  Kernel kernel(module_of(".param .u64 in, .param .u64 out", R"(
    .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd2, %r0, 12;
    add.s64 %rd3, %rd0, %rd2;
    ld.global.u32 %r1, [%rd3];
    ld.global.u32 %r2, [%rd3+4];
    ld.global.u32 %r3, [%rd3+8];
    fns.b32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd4, %r0, 4;
    add.s64 %rd5, %rd1, %rd4;
    st.global.u32 [%rd5], %r4;
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {576, 1, 1}});
  std::vector<int32_t> in, wanted;
  for (const uint32_t mask : {0u, 1u, 1u << 31, UINT32_MAX, 0xf0f00fu, 0x12345678u})
    for (const int base : {0, 1, 5, 13, 31, 32, 40, -1})
      for (const int offset : {-40, -32, -5, -1, 0, 1, 2, 3, 31, 32, 33, -33}) {
        in.insert(in.end(), {static_cast<int32_t>(mask), base, offset});
        int place = -1, missing = std::abs(offset);
        if (offset == 0) {
          if (base >= 0 && base < 32 && mask >> base & 1) place = base;
        } else {
          for (int at = base; place < 0 && at >= 0 && at<32; at += offset> 0 ? 1 : -1)
            if ((mask >> at & 1) && --missing == 0) place = at;
        }
        wanted.push_back(place);
      }
  std::vector<int32_t> out(wanted.size());
  ASSERT_EQ(out.size(), 576u);
  ASSERT_EQ(kernel(in.data(), out.data()), Status::finished);
  EXPECT_EQ(out, wanted);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Asynchronous, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
