// SPDX-License-Identifier: Apache-2.0
// What the programs do with memory: by fills and copies, or by kernels.
#include <cstdlib>
#include <map>

#include "tests/wrong/races/race.hpp"

namespace {

// A thread for each byte.
constexpr char kernels[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 to) {
  .reg .u64 %place, %thread64;
  .reg .u32 %thread;
  ld.param.u64 %place, [to];
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %thread64, %thread;
  add.u64 %place, %place, %thread64;
  st.global.u8 [%place], 1;
  ret;
}
.visible .entry copy(.param .u64 to, .param .u64 from) {
  .reg .u64 %to, %from, %thread64;
  .reg .u32 %thread, %byte;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %thread64, %thread;
  add.u64 %to, %to, %thread64;
  add.u64 %from, %from, %thread64;
  ld.global.u8 %byte, [%from];
  st.global.u8 [%to], %byte;
  ret;
}
)";

bool by_kernels() { return std::getenv("RACE_KERNELS") != nullptr; }

// Of the current context.
CUmodule module_here() {
  static std::map<CUcontext, CUmodule> modules;
  CUcontext context = nullptr;
  NEED(cuCtxGetCurrent(&context));
  CUmodule& module = modules[context];
  if (!module) NEED(cuModuleLoadData(&module, kernels));
  return module;
}

void launch(const char* name, void** parameters, CUstream stream) {
  CUcontext context = nullptr;
  NEED(cuStreamGetCtx(stream, &context));
  NEED(cuCtxPushCurrent(context));
  CUfunction function = nullptr;
  NEED(cuModuleGetFunction(&function, module_here(), name));
  NEED(cuLaunchKernel(function, 1, 1, 1, size, 1, 1, 0, stream, parameters, nullptr));
  NEED(cuCtxPopCurrent(&context));
}

}  // namespace

// Loading a module may wait for what the context does.
void prepare_kernels() {
  if (by_kernels()) module_here();
}

void fill(CUdeviceptr memory, CUstream stream) {
  if (!by_kernels()) {
    NEED(cuMemsetD8Async(memory, 1, size, stream));
    return;
  }
  void* parameters[] = {&memory};
  launch("fill", parameters, stream);
}

void copy(CUdeviceptr to, CUdeviceptr from, CUstream stream) {
  if (!by_kernels()) {
    NEED(cuMemcpyDtoDAsync(to, from, size, stream));
    return;
  }
  void* parameters[] = {&to, &from};
  launch("copy", parameters, stream);
}
