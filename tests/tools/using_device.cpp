// SPDX-License-Identifier: Apache-2.0
// A program that uses a device until its input ends, for tests of what others see of it: 16 MiB,
// three streams and a kernel that runs all the time, with a command behind it.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr char text[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry _Z5waitsPj(.param .u64 word) {
  .reg .b64 %d; .reg .b32 %r; .reg .pred %p;
  ld.param.u64 %d, [word];
again:
  ld.volatile.u32 %r, [%d];
  setp.eq.u32 %p, %r, 0;
  @%p bra again;
  ret;
})";

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", call, static_cast<int>(result));
  exit(1);
}
#define CHECK(call) check(call, #call)

}  // namespace

int main() {
  CUcontext context = nullptr;
  CUdevice device = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUdeviceptr memory = 0, seen = 0;
  CHECK(cuMemAlloc(&memory, 16 << 20));
  CUstream streams[2];
  for (CUstream& stream : streams) CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  void* word = nullptr;
  CHECK(cuMemHostAlloc(&word, 4, CU_MEMHOSTALLOC_DEVICEMAP));
  auto& ended = *static_cast<volatile unsigned*>(word);
  ended = 0;
  CHECK(cuMemHostGetDevicePointer(&seen, word, 0));
  CUmodule module = nullptr;
  CUfunction waits = nullptr;
  CHECK(cuModuleLoadData(&module, text));
  CHECK(cuModuleGetFunction(&waits, module, "_Z5waitsPj"));
  void* parameters[] = {&seen};
  CHECK(cuLaunchKernel(waits, 1, 1, 1, 1, 1, 1, 0, streams[0], parameters, nullptr));
  CHECK(cuMemsetD32Async(memory, 0, 1, streams[0]));
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  ended = 1;
  CHECK(cuCtxSynchronize());
}
