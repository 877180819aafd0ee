// SPDX-License-Identifier: Apache-2.0
// How far a kernel may go beyond its shared variables, as measured on an H200. Each case is a
// process of its own, since a fault ends its context.
#include <cuda.h>

#include <string>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

enum class How : uint32_t { read, write, add, generic_read, generic_write };

std::string kernel_with(unsigned fixed) {
  const std::string variable =
      fixed ? ".shared .align 16 .b8 s[" + std::to_string(fixed) + "];" : "";
  return ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 rest[];\n"
         ".visible .entry probe(.param .u32 at, .param .u32 how, .param .u64 out) {" +
         variable +
         " .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p; .reg .b16 %h;\n"
         " ld.param.u32 %r0,[at]; ld.param.u32 %r1,[how]; ld.param.u64 %d0,[out];\n"
         " mov.u32 %r2," +
         (fixed ? "s" : "rest") +
         "; mov.u32 %r7,rest; mov.u32 %r8,%total_smem_size;\n"
         " st.global.u32 [%d0],%r2; st.global.u32 [%d0+4],%r7; st.global.u32 [%d0+8],%r8;\n"
         " add.u32 %r3,%r2,%r0; cvt.s64.s32 %d4,%r0; cvt.u64.u32 %d5,%r2; cvta.shared.u64 "
         "%d6,%d5;\n"
         " add.u64 %d7,%d6,%d4; mov.u16 %h,7;\n"
         " setp.eq.u32 %p,%r1,0; @%p bra R; setp.eq.u32 %p,%r1,1; @%p bra W; setp.eq.u32 "
         "%p,%r1,2;\n"
         " @%p bra A; setp.eq.u32 %p,%r1,3; @%p bra GR; st.u8 [%d7],%h; ret;\n"
         "GR: ld.u8 %r4,[%d7]; st.global.u32 [%d0+12],%r4; ret;\n"
         "R: ld.shared.u8 %r4,[%r3]; st.global.u32 [%d0+12],%r4; ret;\n"
         "W: st.shared.u8 [%r3],%h; ret;\n"
         "A: atom.shared.add.u32 %r4,[%r3],1; st.global.u32 [%d0+12],%r4; ret; }\n";
}

struct Probe {
  unsigned fixed, dynamic;  // in bytes
  How how = How::read;
};

// Makes one access at `at` and returns the result. `found` gets the addresses of the variables and
// %total_smem_size.
CUresult access(const Probe& probe, int at, std::vector<uint32_t>& found) {
  // The context may be unusable afterwards, so it ends with the process.
  CUcontext context = nullptr;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr out = 0;
  EXPECT_EQ(cuModuleLoadData(&module, kernel_with(probe.fixed).c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "probe"), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&out, 16), CUDA_SUCCESS);
  auto how = static_cast<uint32_t>(probe.how);
  void* arguments[] = {&at, &how, &out};
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, probe.dynamic, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  const CUresult result = cuCtxSynchronize();
  found.assign(4, 0);
  if (result == CUDA_SUCCESS) {
    EXPECT_EQ(cuMemcpyDtoH(found.data(), out, 16), CUDA_SUCCESS);
  }
  return result;
}

std::string expect_good(const Probe& probe, int at, const Environment& environment = {}) {
  return run_in_child(environment, [&] {
    std::vector<uint32_t> found;
    EXPECT_EQ(access(probe, at, found), CUDA_SUCCESS)
        << probe.fixed << " + " << probe.dynamic << " at " << at;
  });
}

std::string expect_bad(const Probe& probe, int at, const Environment& environment = {}) {
  return run_in_child(environment, [&] {
    std::vector<uint32_t> found;
    EXPECT_EQ(access(probe, at, found), CUDA_ERROR_ILLEGAL_ADDRESS)
        << probe.fixed << " + " << probe.dynamic << " at " << at;
  });
}

// Shared memory is allocated in units of 128 bytes.
TEST(cuLaunchKernel, SharedMemoryEndsWithItsLastUnit) {
  struct Row {
    unsigned fixed, dynamic;
    int end;
  };
  const Row rows[] = {{1, 0, 128},   {126, 0, 128},   {128, 0, 128},   {129, 0, 256},
                      {257, 0, 384}, {0, 1, 128},     {0, 128, 128},   {0, 129, 256},
                      {1, 1, 128},   {128, 1, 256},   {100, 100, 256}, {300, 300, 640},
                      {0, 257, 384}, {0, 5000, 5120}, {1000, 24, 1152}};
  for (const Row& row : rows)
    for (const How how : {How::read, How::write}) {
      expect_good({row.fixed, row.dynamic, how}, row.end - 1);
      expect_bad({row.fixed, row.dynamic, how}, row.end);
    }
  for (const How how : {How::generic_read, How::generic_write, How::add}) {
    expect_good({300, 100, how}, how == How::add ? 508 : 511);
    expect_bad({300, 100, how}, 512);
  }
}

// The reserved part in front of the variables may be used, too.
TEST(cuLaunchKernel, SharedMemoryBeginsWithWhatIsReserved) {
  for (const Probe probe : {Probe{100, 0}, Probe{0, 100}, Probe{300, 100}})
    for (const How how : {How::read, How::write, How::generic_read, How::generic_write}) {
      expect_good({probe.fixed, probe.dynamic, how}, -1);
      expect_good({probe.fixed, probe.dynamic, how}, -1024);
    }
  expect_bad({100, 0, How::generic_read}, -1025);
  expect_bad({100, 0, How::generic_write}, -1025);
}

TEST(cuLaunchKernel, SharedVariablesLieWhereAnH200HasThem) {
  run_in_child({}, [] {
    std::vector<uint32_t> found;
    EXPECT_EQ(access({100, 0}, 0, found), CUDA_SUCCESS);
    EXPECT_EQ(found, (std::vector<uint32_t>{1024, 1136, 128, found[3]}));
  });
  run_in_child({}, [] {
    std::vector<uint32_t> found;
    EXPECT_EQ(access({300, 100}, 0, found), CUDA_SUCCESS);
    EXPECT_EQ(found, (std::vector<uint32_t>{1024, 1328, 512, found[3]}));
  });
}

TEST(cuLaunchKernel, SharedMemoryIsExactUnderMemcheck) {
  const Environment memcheck{{"CUVETTE_MEMCHECK", "1"}};
  expect_good({128, 0, How::write}, 127, memcheck);
  expect_bad({128, 0, How::write}, 128, memcheck);
  expect_bad({128, 0, How::read}, -1, memcheck);
  expect_good({0, 100, How::read}, 99, memcheck);
  expect_bad({0, 100, How::read}, 100, memcheck);
  expect_bad({0, 100, How::generic_read}, 100, memcheck);
}

// The report for shared memory does not give the advice for freed memory.
TEST(cuLaunchKernel, SharedMemoryThatIsTooSmallIsReportedWithAdviceThatFits) {
  const std::string said = expect_bad({100, 100, How::read}, 256);
  EXPECT_NE(said.find("shared memory at"), std::string::npos) << said;
  EXPECT_NE(said.find("dynamic shared memory: 100"), std::string::npos) << said;
  EXPECT_NE(said.find("sharedMemBytes"), std::string::npos) << said;
  EXPECT_EQ(said.find("synchronise before you free"), std::string::npos) << said;
}

}  // namespace
