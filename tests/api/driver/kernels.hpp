// SPDX-License-Identifier: Apache-2.0
// Shared by tests of launches: a module of small kernels, and memory for them.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/api/driver/gate.hpp"

class Kernels {
 public:
  Kernels() {
    EXPECT_EQ(cuModuleLoadData(&module, text), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc(&memory, words * 4), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(memory, 0, words), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  }
  ~Kernels() {
    cuMemFree(memory);
    cuModuleUnload(module);
  }

  CUfunction operator[](const char* name) const {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS) << name;
    return function;
  }
  std::vector<uint32_t> read(size_t count) const {
    std::vector<uint32_t> values(count);
    EXPECT_EQ(cuMemcpyDtoH(values.data(), memory, count * 4), CUDA_SUCCESS);
    return values;
  }

  static constexpr size_t words = 1024;
  Scene scene;
  CUmodule module = nullptr;
  CUdeviceptr memory = 0;

 private:
  static constexpr const char* text =
      ".version 6.4\n.target sm_50\n.address_size 64\n"
      ".visible .entry none() { ret; }\n"
      // memory[thread of the grid] = value + thread of the block
      ".visible .entry number(.param .u64 memory, .param .u32 value) {\n"
      " .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
      " ld.param.u64 %d0,[memory]; ld.param.u32 %r0,[value]; mov.u32 %r1,%ctaid.x;\n"
      " mov.u32 %r2,%ntid.x; mov.u32 %r3,%tid.x; mad.lo.s32 %r4,%r1,%r2,%r3;\n"
      " cvta.to.global.u64 %d1,%d0; mul.wide.u32 %d2,%r4,4; add.s64 %d3,%d1,%d2;\n"
      " add.u32 %r5,%r0,%r3; st.global.u32 [%d3],%r5; ret; }\n"
      ".visible .entry most() .maxntid 64, 2, 1 { ret; }\n"
      ".visible .entry some_shared() { .shared .b8 s[10000]; .reg .b32 %r<1>;\n"
      " mov.u32 %r0, s; st.shared.u32 [%r0], 1; ret; }\n"
      // memory[thread] = numbers[32 + thread], as compilers translate references to parameters
      ".visible .entry upper_half(.param .align 4 .b8 numbers[256], .param .u64 memory) {\n"
      " .reg .b32 %r<2>; .reg .b64 %d<6>;\n"
      " mov.b64 %d0,numbers; cvta.param.u64 %d1,%d0; ld.param.u64 %d2,[memory];\n"
      " mov.u32 %r0,%tid.x; mul.wide.u32 %d3,%r0,4; add.s64 %d4,%d1,%d3; add.s64 %d5,%d2,%d3;\n"
      " ld.u32 %r1,[%d4+128]; st.global.u32 [%d5],%r1; ret; }\n"
      // memory[block] += 1, memory[512 + block] = smid; traps in block `bad`
      ".visible .entry count_block(.param .u64 memory, .param .u32 bad) {\n"
      " .reg .b32 %r<12>; .reg .b64 %d<3>; .reg .pred %p<2>;\n"
      " ld.param.u64 %d0,[memory]; ld.param.u32 %r0,[bad]; mov.u32 %r1,%ctaid.x;\n"
      " mov.u32 %r2,%ctaid.y; mov.u32 %r3,%ctaid.z; mov.u32 %r4,%nctaid.x; mov.u32 %r5,%nctaid.y;\n"
      " mad.lo.u32 %r6,%r3,%r5,%r2; mad.lo.u32 %r7,%r6,%r4,%r1; setp.eq.u32 %p0,%r7,%r0;\n"
      " @%p0 trap; mov.u32 %r8,%tid.x; setp.ne.u32 %p1,%r8,0; @%p1 ret;\n"
      " mul.wide.u32 %d1,%r7,4; add.s64 %d2,%d0,%d1; red.global.add.u32 [%d2],1;\n"
      " mov.u32 %r9,%smid; st.global.u32 [%d2+2048],%r9; ret; }\n"
      // Spins until the word is not 0.
      ".visible .entry wait_for(.param .u64 memory) {\n"
      " .reg .b32 %r<1>; .reg .b64 %d<1>; .reg .pred %p;\n"
      " ld.param.u64 %d0,[memory];\n"
      "again: ld.volatile.global.u32 %r0,[%d0]; setp.eq.u32 %p,%r0,0; @%p bra again; ret; }\n";
};

inline CUresult launch(CUfunction f, unsigned blocks, unsigned threads, std::vector<void*> values,
                       CUstream stream = nullptr) {
  return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, stream, values.data(), nullptr);
}
