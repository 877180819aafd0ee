// SPDX-License-Identifier: Apache-2.0
// Which calls wait for work in another stream, and which need a current context. The work is a
// kernel that takes 0.15 s.
#include <cudaProfiler.h>

#include <functional>
#include <vector>

#include "scene.hpp"

static const char* ptx =
    ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry busy(.param .u64 ns) { .reg "
    ".b64 %d<4>; .reg .pred %p; ld.param.u64 %d0,[ns]; mov.u64 %d1,%globaltimer;\nL: nanosleep.u32 "
    "20000; mov.u64 %d2,%globaltimer; sub.s64 %d3,%d2,%d1; setp.lt.u64 %p,%d3,%d0; @%p bra L; ret; "
    "}\n.visible .entry nop() { ret; }\n";
static CUfunction busy, nop;
static CUmodule mod;
static void load() {
  scene();
  PREPARE(cuModuleLoadData(&mod, ptx));
  PREPARE(cuModuleGetFunction(&busy, mod, "busy"));
  PREPARE(cuModuleGetFunction(&nop, mod, "nop"));
  PREPARE(cuLaunchKernel(nop, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
  PREPARE(cuCtxSynchronize());
}
static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
static void work(CUstream s) {
  unsigned long long ns = 150000000;
  void* a[] = {&ns};
  PREPARE(cuLaunchKernel(busy, 1, 1, 1, 1, 1, 1, 0, s, a, 0));
  usleep(5000);
}
static void ask(const char* name, unsigned flags, const std::function<CUresult(CUstream)>& call) {
  CUstream s;
  PREPARE(cuStreamCreate(&s, flags));
  PREPARE(cuCtxSynchronize());
  work(s);
  double t = now();
  CUresult r = call(s);
  t = now() - t;
  char b[160];
  snprintf(b, sizeof b, "%s beside a %s stream", name, flags ? "non-blocking" : "blocking");
  conformance::answer(b, r);
  conformance::answer(b, t > 0.08 ? "waited" : "did not wait");
  cuCtxSynchronize();
}
static void both(const char* name, const std::function<CUresult(CUstream)>& call) {
  ask(name, 0, call);
  ask(name, CU_STREAM_NON_BLOCKING, call);
}

CASE(null_stream_calls) {
  load();
  static char h[1 << 20];
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 1 << 20));
  CUevent e;
  PREPARE(cuEventCreate(&e, 0));
  both("cuStreamSynchronize(0)", [](CUstream) { return cuStreamSynchronize(0); });
  both("cuStreamSynchronize(legacy)",
       [](CUstream) { return cuStreamSynchronize(CU_STREAM_LEGACY); });
  both("cuStreamSynchronize(per thread)",
       [](CUstream) { return cuStreamSynchronize(CU_STREAM_PER_THREAD); });
  both("cuStreamQuery(0)", [](CUstream) { return cuStreamQuery(0); });
  both("cuStreamQuery(per thread)", [](CUstream) { return cuStreamQuery(CU_STREAM_PER_THREAD); });
  both("record in 0 and synchronise", [&](CUstream) {
    cuEventRecord(e, 0);
    return cuEventSynchronize(e);
  });
  both("record per thread and synchronise", [&](CUstream) {
    cuEventRecord(e, CU_STREAM_PER_THREAD);
    return cuEventSynchronize(e);
  });
  both("cuMemcpyHtoD 4 B", [&](CUstream) { return cuMemcpyHtoD(p, h, 4); });
  both("cuMemcpyDtoH 4 B", [&](CUstream) { return cuMemcpyDtoH(h, p, 4); });
  both("cuMemcpyDtoD", [&](CUstream) { return cuMemcpyDtoD(p, p + 4096, 4096); });
  both("cuMemsetD8", [&](CUstream) { return cuMemsetD8(p, 1, 4096); });
  both("host function in 0", [](CUstream) {
    return cuLaunchHostFunc(
        0, [](void*) {}, nullptr);
  });
}

CASE(calls_that_may_wait) {
  load();
  static CUdeviceptr p;
  static void* h;
  static char own[1 << 16];
  static CUstream x;
  static CUevent e;
  static CUmodule m;
  static CUarray a;
  static CUmemoryPool pool;
  both("cuMemAlloc", [](CUstream) { return cuMemAlloc(&p, 4096); });
  both("cuMemFree", [](CUstream) { return cuMemFree(p); });
  both("cuMemAlloc 256 MiB", [](CUstream) { return cuMemAlloc(&p, 256 << 20); });
  both("cuMemFree 256 MiB", [](CUstream) { return cuMemFree(p); });
  both("cuMemAllocHost", [](CUstream) { return cuMemAllocHost(&h, 4096); });
  both("cuMemFreeHost", [](CUstream) {
    CUresult r = cuMemFreeHost(h);
    cuMemAllocHost(&h, 4096);
    return r;
  });
  both("cuMemHostRegister", [](CUstream) {
    CUresult r = cuMemHostRegister(own, sizeof own, 0);
    return r;
  });
  both("cuMemHostUnregister", [](CUstream) {
    CUresult r = cuMemHostUnregister(own);
    cuMemHostRegister(own, sizeof own, 0);
    return r;
  });
  both("cuMemAllocManaged",
       [](CUstream) { return cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL); });
  both("cuStreamCreate", [](CUstream) { return cuStreamCreate(&x, 0); });
  both("cuStreamDestroy of the busy one", [](CUstream s) { return cuStreamDestroy(s); });
  both("cuEventCreate", [](CUstream) { return cuEventCreate(&e, 0); });
  both("cuEventDestroy of a pending one", [](CUstream s) {
    cuEventCreate(&e, 0);
    cuEventRecord(e, s);
    return cuEventDestroy(e);
  });
  both("cuModuleLoadData", [](CUstream) { return cuModuleLoadData(&m, ptx); });
  both("cuModuleUnload", [](CUstream) {
    CUresult r = cuModuleUnload(m);
    cuModuleLoadData(&m, ptx);
    return r;
  });
  both("cuMemAllocAsync in 0", [](CUstream) { return cuMemAllocAsync(&p, 4096, 0); });
  both("cuMemGetInfo", [](CUstream) {
    size_t f, t;
    return cuMemGetInfo(&f, &t);
  });
  both("cuCtxSetLimit", [](CUstream) { return cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048); });
  both("cuFuncSetAttribute", [](CUstream) {
    return cuFuncSetAttribute(nop, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024);
  });
  both("cuPointerGetAttribute", [](CUstream) {
    unsigned u;
    return cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p);
  });
  both("cuArrayCreate", [](CUstream) {
    CUDA_ARRAY_DESCRIPTOR d{64, 64, CU_AD_FORMAT_FLOAT, 1};
    return cuArrayCreate(&a, &d);
  });
  both("cuArrayDestroy", [](CUstream) {
    CUresult r = cuArrayDestroy(a);
    CUDA_ARRAY_DESCRIPTOR d{64, 64, CU_AD_FORMAT_FLOAT, 1};
    cuArrayCreate(&a, &d);
    return r;
  });
  both("cuMemPoolCreate", [](CUstream) {
    CUmemPoolProps q;
    memset(&q, 0, sizeof q);
    q.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    q.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return cuMemPoolCreate((CUmemoryPool*)&pool, &q);
  });
}

CASE(without_a_context) {
  load();
  CUstream s;
  PREPARE(cuStreamCreate(&s, 0));
  CUevent e, g;
  PREPARE(cuEventCreate(&e, 0));
  PREPARE(cuEventCreate(&g, 0));
  PREPARE(cuEventRecord(e, s));
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 4096));
  void* h;
  PREPARE(cuMemAllocHost(&h, 4096));
  CUgraph gr;
  PREPARE(cuGraphCreate(&gr, 0));
  CUgraphNode n;
  PREPARE(cuGraphAddEmptyNode(&n, gr, nullptr, 0));
  CUgraphExec x;
  PREPARE(cuGraphInstantiate(&x, gr, 0));
  PREPARE(cuCtxSynchronize());
  CUcontext c;
  PREPARE(cuCtxPopCurrent(&c));
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(cuStreamQuery(s));
  ASK(cuStreamSynchronize(s));
  ASK(cuStreamQuery(0));
  ASK(cuEventQuery(e));
  ASK(cuEventSynchronize(e));
  ASK(cuEventRecord(e, s));
  ASK(cuEventRecord(e, 0));
  ASK(cuStreamWaitEvent(s, e, 0));
  float ms;
  ASK(cuEventElapsedTime(&ms, e, e));
  ASK(cuMemcpyHtoDAsync(p, h, 4, s));
  ASK(cuMemcpyDtoHAsync(h, p, 4, s));
  ASK(cuMemsetD8Async(p, 1, 4, s));
  ASK(cuMemcpyAsync(p, p + 64, 4, s));
  ASK(cuLaunchKernel(nop, 1, 1, 1, 1, 1, 1, 0, s, 0, 0));
  // On one line, since the harness prints the text of the call.
  // clang-format off
  ASK(cuLaunchHostFunc(s, [](void*) {}, nullptr));
  // clang-format on
  ASK(cuGraphLaunch(x, s));
  ASK(cuMemAllocAsync(&p, 64, s));
  ASK(cuStreamGetFlags(s, (unsigned*)h));
  ASK(cuStreamGetCtx(s, &c));
  int v;
  ASK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, nop));
  CUfunction f;
  ASK(cuModuleGetFunction(&f, mod, "nop"));
  ASK(cuMemFree(p));
  ASK(cuMemcpyHtoD(p, h, 4));
  ASK(cuMemAlloc(&p, 64));
  unsigned u;
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(cuStreamCreate(&s, 0));
  ASK(cuEventCreate(&g, 0));
  ASK(cuCtxSynchronize());
  ASK(cuEventDestroy(e));
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuStreamEndCapture(s, &gr));
  ASK(cuStreamDestroy(s));
  ASK(cuProfilerStart());
  ASK(cuModuleUnload(mod));
  ASK(cuMemFreeHost(h));
  ASK(cuGraphExecDestroy(x));
}

CASE(kernel_handles) {
  load();
  ASK(cuProfilerStart());
  ASK(cuProfilerStop());
  CUlibrary l;
  PREPARE(cuLibraryLoadData(&l, ptx, 0, 0, 0, 0, 0, 0));
  CUkernel k;
  PREPARE(cuLibraryGetKernel(&k, l, "nop"));
  auto f = (CUfunction)k;
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
  ASK(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0));
  CUlaunchConfig q;
  memset(&q, 0, sizeof q);
  q.gridDimX = q.gridDimY = q.gridDimZ = q.blockDimX = q.blockDimY = q.blockDimZ = 1;
  ASK(cuLaunchKernelEx(&q, f, 0, 0));
  int v;
  ASK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 128, 0));
  int w;
  ASK(cuOccupancyMaxPotentialBlockSize(&v, &w, f, nullptr, 0, 0));
  ASK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
  CUgraph g;
  PREPARE(cuGraphCreate(&g, 0));
  CUDA_KERNEL_NODE_PARAMS p;
  memset(&p, 0, sizeof p);
  p.func = f;
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  CUgraphNode n;
  ASK(cuGraphAddKernelNode(&n, g, nullptr, 0, &p));
  memset(&p, 0, sizeof p);
  p.kern = k;
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  ASK(cuGraphAddKernelNode(&n, g, nullptr, 0, &p));
  ASK(cuCtxSynchronize());
}

CASE(capture_corners) {
  load();
  CUstream a, b;
  PREPARE(cuStreamCreate(&a, 0));
  PREPARE(cuStreamCreate(&b, 0));
  CUevent e, g;
  PREPARE(cuEventCreate(&e, 0));
  PREPARE(cuEventCreate(&g, 0));
  PREPARE(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
  PREPARE(cuEventRecord(e, a));
  PREPARE(cuStreamWaitEvent(b, e, 0));
  PREPARE(cuLaunchKernel(nop, 1, 1, 1, 1, 1, 1, 0, b, 0, 0));
  PREPARE(cuEventRecord(g, b));
  PREPARE(cuStreamWaitEvent(a, g, 0));
  ASK(cuStreamDestroy(b));
  ASK(cuLaunchKernel(nop, 1, 1, 1, 1, 1, 1, 0, a, 0, 0));
  CUgraph x;
  ASK(cuStreamEndCapture(a, &x));
  size_t n = 0;
  ASK(cuGraphGetNodes(x, nullptr, &n));
  ASK(n);
  PREPARE(cuStreamCreate(&b, 0));
  PREPARE(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
  PREPARE(cuEventRecord(e, a));
  PREPARE(cuStreamWaitEvent(b, e, 0));
  PREPARE(cuLaunchKernel(nop, 1, 1, 1, 1, 1, 1, 0, b, 0, 0));
  ASK(cuStreamDestroy(b));
  ASK(cuStreamEndCapture(a, &x));
  PREPARE(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuStreamQuery(a));
  CUstreamCaptureStatus st;
  ASK(cuStreamIsCapturing(a, &st));
  ASK((int)st);
  ASK(cuStreamEndCapture(a, &x));
  PREPARE(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuEventRecord(e, a));
  ASK(cuEventQuery(e));
  ASK(cuEventSynchronize(e));
  ASK(cuStreamIsCapturing(a, &st));
  ASK((int)st);
  ASK(cuStreamEndCapture(a, &x));
  PREPARE(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuStreamDestroy(a));
  ASK(cuCtxSynchronize());
}

int main(int argc, char** argv) { return conformance::run(argc, argv); }
