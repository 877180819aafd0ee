// SPDX-License-Identifier: Apache-2.0
// A program for `cuvette profile` to run: kernels of known counts. Its argument says what it does
// with them.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", call, result);
  std::exit(3);
}
#define CUDA(call) check(call, #call)

// strided: thread i reads word 32 i (line 10) and writes word i (line 11).
// conflicts: words of shared memory that are 128 bytes apart (line 20), a barrier (line 21).
// counted: all threads add to one word, in a function that was inlined (line 5, called in line 30),
// and a third of them takes another way (line 31).
constexpr const char* kernels = R"(
.version 7.5
.target sm_70
.address_size 64
.file 1 "kernels.cu"
.visible .entry strided(.param .u64 from, .param .u64 to)
{
  .reg .u32 %r<5>;
  .reg .u64 %a<5>;
  .loc 1 9 1
  ld.param.u64 %a0, [from];
  ld.param.u64 %a1, [to];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %a2, %r3, 128;
  mul.wide.u32 %a3, %r3, 4;
  add.u64 %a2, %a2, %a0;
  add.u64 %a3, %a3, %a1;
  .loc 1 10 1
  ld.global.u32 %r4, [%a2];
  .loc 1 11 1
  st.global.u32 [%a3], %r4;
  ret;
}
.visible .entry conflicts()
{
  .reg .u32 %r<5>;
  .shared .align 16 .b8 tile[4096];
  .loc 1 19 1
  mov.u32 %r0, %tid.x;
  and.b32 %r0, %r0, 31;
  mov.u32 %r1, tile;
  mad.lo.u32 %r1, %r0, 128, %r1;
  .loc 1 20 1
  st.shared.u32 [%r1], %r0;
  .loc 1 21 1
  bar.sync 0;
  ret;
}
.visible .entry counted(.param .u64 to)
{
  .reg .u32 %r<5>;
  .reg .u64 %a;
  .reg .pred %p;
  .loc 1 29 1
  ld.param.u64 %a, [to];
  mov.u32 %r0, %tid.x;
  .loc 1 30 1
  rem.u32 %r1, %r0, 3;
  .loc 1 5 1, function_name $L__info_string0, inlined_at 1 30 1
  red.global.add.u32 [%a], 1;
  .loc 1 31 1
  setp.ne.u32 %p, %r1, 0;
  @%p bra BEHIND;
  .loc 1 32 1
  st.global.u32 [%a+64], %r0;
BEHIND:
  .loc 1 33 1
  ret;
}
.section .debug_str
{
$L__info_string0:
.b8 95,90,51,97,100,100,105
.b8 0
}
)";

// The same without lines of the source.
constexpr const char* plain = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry plain(.param .u64 to)
{
  .reg .u64 %a;
  ld.param.u64 %a, [to];
  st.global.u32 [%a], 1;
  ret;
}
)";

CUdeviceptr buffer;

void launch(CUmodule module, const char* name, unsigned blocks, unsigned threads) {
  CUfunction function;
  CUDA(cuModuleGetFunction(&function, module, name));
  CUdeviceptr to = buffer + (1 << 20);
  void* parameters[] = {&buffer, &to};
  CUDA(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr));
  CUDA(cuCtxSynchronize());
}

void run_kernels(int times) {
  CUdevice device;
  CUcontext context;
  CUDA(cuInit(0));
  CUDA(cuDeviceGet(&device, 0));
  CUDA(cuDevicePrimaryCtxRetain(&context, device));
  CUDA(cuCtxSetCurrent(context));
  CUmodule module, other;
  CUDA(cuModuleLoadData(&module, kernels));
  CUDA(cuModuleLoadData(&other, plain));
  CUDA(cuMemAlloc(&buffer, 2 << 20));
  for (int n = 0; n < times; ++n) {
    launch(module, "strided", 4, 256);
    launch(module, "conflicts", 1, 64);
    launch(module, "counted", 2, 96);
    launch(other, "plain", 1, 32);
  }
  CUDA(cuModuleUnload(module));
}

}  // namespace

int main(int count, char** words) {
  const char* const how = count > 1 ? words[1] : "once";
  if (strcmp(how, "nothing") == 0) return 0;
  if (strcmp(how, "processes") == 0) {
    for (int n = 0; n < 3; ++n)
      if (fork() == 0) {
        run_kernels(1);
        return 0;
      }
    while (wait(nullptr) > 0) {
    }
    return 0;
  }
  run_kernels(strcmp(how, "twice") == 0 ? 2 : 1);
  if (strcmp(how, "killed") == 0) raise(SIGKILL);
  return strcmp(how, "fails") == 0 ? 5 : 0;
}
