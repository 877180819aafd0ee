// SPDX-License-Identifier: Apache-2.0
// Atomic additions whose results are unused, as seen by other blocks, other streams and the host.
#include <cuda.h>

#include <numeric>
#include <random>

#include "tests/api/driver/gate.hpp"

namespace {

constexpr const char* text = R"(.version 8.0
.target sm_90
.address_size 64
// Each block adds; the last one to take a ticket finds all that was added.
.visible .entry last_block(.param .u64 totals, .param .u64 out) {
  .reg .b32 %r<12>; .reg .b64 %d<9>; .reg .pred %p<3>; .shared .align 4 .b32 last;
  ld.param.u64 %d0,[totals]; ld.param.u64 %d1,[out];
  mov.u32 %r0,%tid.x; and.b32 %r1,%r0,7; mul.wide.u32 %d2,%r1,4; add.u64 %d3,%d0,%d2;
  add.u32 %r2,%r0,1; red.global.add.u32 [%d3],%r2;
  membar.gl; bar.sync 0;
  setp.ne.u32 %p0,%r0,0; @%p0 bra wait;
  mov.u32 %r3,%nctaid.x; sub.u32 %r3,%r3,1; atom.global.inc.u32 %r4,[%d0+64],%r3;
  setp.eq.u32 %p1,%r4,%r3; selp.u32 %r5,1,0,%p1; st.shared.u32 [last],%r5;
wait: bar.sync 0; ld.shared.u32 %r6,[last]; setp.eq.u32 %p1,%r6,0; @%p1 ret;
  setp.ge.u32 %p2,%r0,8; @%p2 ret;
  membar.gl; ld.global.u32 %r7,[%d3]; add.u64 %d4,%d1,%d2; st.global.u32 [%d4],%r7; ret; }
// Block b waits for b others, adds its own, and stays until all have.
.visible .entry one_after_another(.param .u64 word) {
  .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>;
  ld.param.u64 %d0,[word]; mov.u32 %r0,%ctaid.x; mov.u32 %r1,%nctaid.x;
turn: ld.volatile.global.u32 %r2,[%d0]; setp.lt.u32 %p0,%r2,%r0; @%p0 bra turn;
  red.relaxed.gpu.global.add.u32 [%d0],1;
all: ld.volatile.global.u32 %r3,[%d0]; setp.lt.u32 %p1,%r3,%r1; @%p1 bra all; ret; }
// A thread that spins sees what a lane of its own warp and others have added.
.visible .entry all_threads(.param .u64 word) {
  .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>;
  ld.param.u64 %d0,[word]; mov.u32 %r0,%nctaid.x; mov.u32 %r1,%ntid.x; mul.lo.u32 %r2,%r0,%r1;
  red.global.add.u32 [%d0],1;
more: ld.relaxed.gpu.global.u32 %r3,[%d0]; setp.lt.u32 %p0,%r3,%r2; @%p0 bra more; ret; }
.visible .entry count(.param .u64 in, .param .u64 counts, .param .u32 n) {
  .reg .b32 %r<12>; .reg .b64 %d<9>; .reg .pred %p<3>; .reg .b16 %h;
  ld.param.u64 %d0,[in]; ld.param.u64 %d1,[counts]; ld.param.u32 %r0,[n];
  mov.u32 %r1,%ctaid.x; mov.u32 %r2,%ntid.x; mov.u32 %r3,%tid.x; mad.lo.u32 %r4,%r1,%r2,%r3;
  mov.u32 %r5,%nctaid.x; mul.lo.u32 %r5,%r5,%r2;
  setp.ge.u32 %p0,%r4,%r0; @%p0 ret;
next: cvt.u64.u32 %d2,%r4; add.u64 %d2,%d2,%d0; ld.global.u8 %h,[%d2];
  cvt.u32.u16 %r6,%h; mul.wide.u32 %d3,%r6,4; add.u64 %d3,%d3,%d1;
  red.global.add.u32 [%d3],1; add.u32 %r4,%r4,%r5; setp.lt.u32 %p1,%r4,%r0; @%p1 bra next; ret; }
)";

class Sums {
 public:
  Sums() {
    EXPECT_EQ(cuModuleLoadData(&module_, text), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc(&memory, 4096), CUDA_SUCCESS);
    clear();
  }
  ~Sums() {
    cuMemFree(memory);
    cuModuleUnload(module_);
  }
  void clear() { EXPECT_EQ(cuMemsetD8(memory, 0, 4096), CUDA_SUCCESS); }
  void launch(const char* name, unsigned blocks, unsigned threads, std::vector<void*> values,
              CUstream stream = nullptr) {
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleGetFunction(&function, module_, name), CUDA_SUCCESS);
    ASSERT_EQ(
        cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, values.data(), nullptr),
        CUDA_SUCCESS);
  }
  std::vector<uint32_t> words(CUdeviceptr from, size_t count) {
    std::vector<uint32_t> result(count);
    EXPECT_EQ(cuMemcpyDtoH(result.data(), from, count * 4), CUDA_SUCCESS);
    return result;
  }

  const Scene scene;
  CUdeviceptr memory = 0;

 private:
  CUmodule module_ = nullptr;
};

TEST(cuLaunchKernel, SumsAreThereForTheLastBlock) {
  Sums sums;
  constexpr unsigned blocks = 64, threads = 96;
  CUdeviceptr out = sums.memory + 2048;
  for (int time = 0; time < 20; ++time) {
    sums.clear();
    sums.launch("last_block", blocks, threads, {&sums.memory, &out});
    const std::vector<uint32_t> found = sums.words(out, 8);
    for (unsigned n = 0; n < 8; ++n) {
      uint32_t expected = 0;
      for (unsigned t = n; t < threads; t += 8) expected += (t + 1) * blocks;
      ASSERT_EQ(found[n], expected) << n;
    }
  }
}

TEST(cuLaunchKernel, SumsAreSeenByBlocksThatWait) {
  Sums sums;
  for (const unsigned threads : {1u, 1u, 32u}) {
    sums.clear();
    // Each block, or each of its threads, adds one.
    sums.launch(threads == 1 ? "one_after_another" : "all_threads", 12, threads, {&sums.memory});
    EXPECT_EQ(sums.words(sums.memory, 1)[0], 12 * threads);
  }
}

TEST(cuLaunchKernel, SumsOfSeveralStreamsMeet) {
  Sums sums;
  constexpr uint32_t bytes = 1 << 18;
  std::vector<uint8_t> data(bytes);
  std::mt19937 random(1);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random() % 7 * random());
  CUdeviceptr in = 0;
  ASSERT_EQ(cuMemAlloc(&in, bytes), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD(in, data.data(), bytes), CUDA_SUCCESS);
  uint32_t count = bytes - 5;
  std::vector<uint32_t> expected(256);
  for (uint32_t i = 0; i < count; ++i) ++expected[data[i]];
  constexpr unsigned streams = 3;
  CUstream stream[streams];
  for (CUstream& one : stream)
    ASSERT_EQ(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  for (const unsigned blocks : {1u, 40u, 1000u}) {
    sums.clear();
    ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    for (CUstream one : stream) sums.launch("count", blocks, 128, {&in, &sums.memory, &count}, one);
    ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    const std::vector<uint32_t> found = sums.words(sums.memory, 256);
    for (unsigned n = 0; n < 256; ++n) ASSERT_EQ(found[n], streams * expected[n]) << n;
  }
  for (CUstream one : stream) cuStreamDestroy(one);
  cuMemFree(in);
}

}  // namespace
