// SPDX-License-Identifier: Apache-2.0
// What the programs of the pictures in docs/ have in common.
//
// Threads: for one thread.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <string>

inline void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", call, result);
  std::exit(3);
}
#define CUDA(call) check(call, #call)

inline void begin() {
  CUdevice device;
  CUcontext context;
  CUDA(cuInit(0));
  CUDA(cuDeviceGet(&device, 0));
  CUDA(cuDevicePrimaryCtxRetain(&context, device));
  CUDA(cuCtxSetCurrent(context));
}

inline CUstream new_stream() {
  CUstream stream;
  CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

// A kernel that reads a number of one array, doubles it, and writes it to another; with one array
// it does both there.
inline std::string kernel_text(const char* name, bool has_two_arrays) {
  const std::string from = has_two_arrays ? "from" : "to";
  return std::string("\n.visible .entry ") + name + "(.param .u64 to" +
         (has_two_arrays ? ", .param .u64 from" : "") + R"()
{
  .reg .u32 %r<5>;
  .reg .f32 %f<2>;
  .reg .u64 %a<4>;
  ld.param.u64 %a0, [to];
  ld.param.u64 %a1, [)" +
         from + R"(];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %a2, %r3, 4;
  add.u64 %a0, %a0, %a2;
  add.u64 %a1, %a1, %a2;
  ld.global.f32 %f0, [%a1];
  add.f32 %f1, %f0, %f0;
  st.global.f32 [%a0], %f1;
  ret;
}
)";
}

inline CUmodule new_module(const std::string& kernels) {
  CUmodule module;
  const std::string text = ".version 7.5\n.target sm_70\n.address_size 64\n" + kernels;
  CUDA(cuModuleLoadData(&module, text.c_str()));
  return module;
}

inline CUfunction kernel_of(CUmodule module, const char* name) {
  CUfunction kernel;
  CUDA(cuModuleGetFunction(&kernel, module, name));
  return kernel;
}

constexpr unsigned block = 256;
