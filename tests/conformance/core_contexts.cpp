// SPDX-License-Identifier: Apache-2.0
// The driver before initialisation, without a context, and with several contexts.
#include "scene.hpp"

CASE(not_initialized) {
  int n = -1;
  CUdevice d;
  CUcontext c;
  CUdeviceptr p;
  size_t s;
  CUstream st;
  CUevent ev;
  ASK(cuDeviceGetCount(&n));
  ASK(cuDeviceGet(&d, 0));
  ASK(cuCtxGetCurrent(&c));
  ASK(cuMemAlloc(&p, 4));
  ASK(cuMemFree(0));
  ASK(cuStreamCreate(&st, 0));
  ASK(cuEventCreate(&ev, 0));
  ASK(cuCtxSynchronize());
  ASK(cuMemGetInfo(&s, &s));
  ASK(cuGraphicsMapResources(0, nullptr, 0));
  ASK(cuDestroyExternalMemory(nullptr));
  int v;
  ASK(cuDriverGetVersion(&v));
  ASK(cuDriverGetVersion(nullptr));
  const char* str;
  ASK(cuGetErrorName((CUresult)12345, &str));
  ASK(cuGetErrorString(CUDA_SUCCESS, &str));
  conformance::answer("string", str);
  ASK(cuInit(1));
  ASK(cuInit(0));
  ASK(cuInit(0));
}

CASE(no_context) {
  PREPARE(cuInit(0));
  CUdeviceptr p = 0;
  size_t s;
  CUstream st;
  CUevent ev;
  CUmodule m;
  CUcontext c = (CUcontext)1;
  ASK(cuCtxGetCurrent(&c));
  ASK(c == nullptr);
  ASK(cuMemAlloc(&p, 4));
  ASK(cuMemFree(0));
  ASK(cuMemFree(16));
  ASK(cuStreamCreate(&st, 0));
  ASK(cuEventCreate(&ev, 0));
  ASK(cuCtxSynchronize());
  ASK(cuMemGetInfo(&s, &s));
  ASK(cuModuleLoadData(&m, ""));
  CUdevice d;
  ASK(cuCtxGetDevice(&d));
  ASK(cuStreamSynchronize(0));
  ASK(cuGraphicsMapResources(0, nullptr, 0));
  ASK(cuGraphicsMapResources(1, nullptr, 0));
  ASK(cuMemcpyHtoD(0, &s, 8));
  ASK(cuCtxPopCurrent(&c));
  ASK(cuCtxPopCurrent(nullptr));
  ASK(cuCtxSetCurrent(nullptr));
  ASK(cuCtxPushCurrent(nullptr));
}

CASE(device_queries) {
  PREPARE(cuInit(0));
  CUdevice d = 77;
  int v;
  char name[8];
  size_t t;
  ASK(cuDeviceGet(&d, 0));
  ASK(cuDeviceGet(&d, 1000));
  ASK(cuDeviceGet(&d, -1));
  ASK(cuDeviceGet(nullptr, 0));
  ASK(cuDeviceGetCount(nullptr));
  ASK(cuDeviceGetName(name, 4, 0));
  conformance::answer("truncated", name);
  ASK(cuDeviceGetName(name, 8, 1000));
  ASK(cuDeviceGetAttribute(&v, (CUdevice_attribute)0, 0));
  ASK(cuDeviceGetAttribute(&v, (CUdevice_attribute)10000, 0));
  ASK(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  ASK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
  ASK(cuDeviceTotalMem(&t, 1000));
  ASK(cuDeviceTotalMem(nullptr, 0));
  ASK(cuDeviceCanAccessPeer(&v, 0, 0));
  ASK(v);
  ASK(cuDeviceGetByPCIBusId(&d, "zz"));
  ASK(cuDeviceGetByPCIBusId(&d, "0000:ff:1f.0"));
}

CASE(primary_context) {
  PREPARE(cuInit(0));
  CUcontext a, b, cur;
  unsigned flags;
  int active;
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(active);
  ASK(flags);
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  ASK(cuDevicePrimaryCtxRetain(&a, 0));
  ASK(cuDevicePrimaryCtxRetain(&b, 0));
  ASK(a == b);
  ASK(cuCtxGetCurrent(&cur));
  ASK(cur == nullptr);
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(active);
  ASK(flags);
  ASK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(flags);
  ASK(cuCtxSetCurrent(a));
  ASK(cuCtxDestroy(a));
  unsigned v;
  ASK(cuCtxGetApiVersion(a, &v));
  ASK(v);
  ASK(cuCtxGetFlags(&flags));
  ASK(flags);
  unsigned long long id;
  ASK(cuCtxGetId(a, &id));
  CUdeviceptr p;
  ASK(cuMemAlloc(&p, 100));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuMemFree(p));
  ASK(cuMemAlloc(&p, 100));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(active);
  ASK(cuMemFree(p));
  ASK(cuMemAlloc(&p, 100));
  ASK(cuCtxSynchronize());
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxReset(0));
  ASK(cuDevicePrimaryCtxRetain(&a, 0));
  ASK(cuCtxSetCurrent(a));
  ASK(cuMemAlloc(&p, 100));
  ASK(cuDevicePrimaryCtxReset(0));
  ASK(cuMemFree(p));
  ASK(cuMemAlloc(&p, 100));
}

CASE(context_stack) {
  PREPARE(cuInit(0));
  CUcontext a, b, c;
  CUdevice d;
  unsigned f;
  ASK(cuCtxCreate_v4(&a, nullptr, 0, 0));
  ASK(cuCtxGetCurrent(&c));
  ASK(c == a);
  ASK(cuCtxCreate_v4(&b, nullptr, CU_CTX_SCHED_SPIN, 0));
  ASK(cuCtxGetFlags(&f));
  ASK(f);
  ASK(cuCtxGetDevice(&d));
  ASK(d);
  ASK(cuCtxPopCurrent(&c));
  ASK(c == b);
  ASK(cuCtxGetCurrent(&c));
  ASK(c == a);
  ASK(cuCtxPushCurrent(b));
  ASK(cuCtxDestroy(b));
  ASK(cuCtxGetCurrent(&c));
  ASK(c == a);
  ASK(cuCtxPushCurrent(a));
  ASK(cuCtxDestroy(a));
  ASK(cuCtxGetCurrent(&c));
  ASK(c == nullptr);
  ASK(c == a);
  ASK(cuCtxSynchronize());
  ASK(cuCtxDestroy(nullptr));
  ASK(cuCtxCreate_v4(&a, nullptr, 0x7f, 0));
  ASK(cuCtxCreate_v4(&a, nullptr, 0, 1000));
  ASK(cuCtxCreate_v4(nullptr, nullptr, 0, 0));
}

CASE(cross_context_use) {
  PREPARE(cuInit(0));
  CUcontext a, b;
  PREPARE(cuCtxCreate_v4(&a, nullptr, 0, 0));
  CUdeviceptr p, q;
  PREPARE(cuMemAlloc(&p, 256));
  CUstream s;
  PREPARE(cuStreamCreate(&s, 0));
  CUevent e;
  PREPARE(cuEventCreate(&e, 0));
  PREPARE(cuCtxCreate_v4(&b, nullptr, 0, 0));
  PREPARE(cuMemAlloc(&q, 256));
  ASK(cuMemcpyDtoD(q, p, 256));
  ASK(cuMemsetD8Async(q, 1, 256, s));
  ASK(cuEventRecord(e, 0));
  ASK(cuEventRecord(e, s));
  ASK(cuStreamSynchronize(s));
  ASK(cuStreamWaitEvent(0, e, 0));
  ASK(cuMemFree(p));
  ASK(cuStreamQuery(s));
  CUcontext c;
  ASK(cuStreamGetCtx(s, &c));
  ASK(c == a);
  ASK(cuStreamDestroy(s));
  ASK(cuEventDestroy(e));
  ASK(cuCtxDestroy(b));
  ASK(cuCtxSetCurrent(a));
  ASK(cuMemFree(q));
}

int main(int argc, char** argv) { return conformance::run(argc, argv); }
