// SPDX-License-Identifier: Apache-2.0
// Streams and events: their functions, their order, and which calls return before the work is done.
#include "scene.hpp"

CASE(streams) {
  scene();
  CUstream s, t;
  unsigned f;
  int pr;
  unsigned long long id;
  ASK(cuStreamCreate(&s, 2));
  ASK(cuStreamCreate(nullptr, 0));
  ASK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  ASK(cuStreamGetFlags(s, &f));
  ASK(f);
  ASK(cuStreamCreateWithPriority(&t, 0, -1000));
  ASK(cuStreamGetPriority(t, &pr));
  ASK(pr);
  ASK(cuStreamCreateWithPriority(&t, 0, 1000));
  ASK(cuStreamGetPriority(t, &pr));
  ASK(pr);
  ASK(cuStreamGetFlags(0, &f));
  ASK(f);
  ASK(cuStreamGetFlags(CU_STREAM_PER_THREAD, &f));
  ASK(f);
  ASK(cuStreamGetPriority(0, &pr));
  ASK(pr);
  ASK(cuStreamQuery(s));
  ASK(cuStreamSynchronize(s));
  ASK(cuStreamDestroy(0));
  ASK(cuStreamDestroy(CU_STREAM_LEGACY));
  ASK(cuStreamDestroy(CU_STREAM_PER_THREAD));
  ASK(cuStreamDestroy(t));
  ASK(cuStreamGetId(0, &id));
  ASK(cuStreamQuery(0));
  ASK(cuStreamQuery(CU_STREAM_PER_THREAD));
  CUdevice d;
  ASK(cuStreamGetDevice(s, &d));
  CUcontext c;
  ASK(cuStreamGetCtx(0, &c));
  ASK(c == ctx);
}

CASE(events) {
  scene();
  CUevent a, b, n;
  float ms = -1;
  CUstream s;
  PREPARE(cuStreamCreate(&s, 0));
  ASK(cuEventCreate(&a, 0x80));
  ASK(cuEventCreate(nullptr, 0));
  ASK(cuEventCreate(&a, 0));
  ASK(cuEventCreate(&b, 0));
  ASK(cuEventCreate(&n, CU_EVENT_DISABLE_TIMING));
  ASK(cuEventCreate(&n, CU_EVENT_INTERPROCESS));
  ASK(cuEventCreate(&n, CU_EVENT_DISABLE_TIMING));
  ASK(cuEventQuery(a));
  ASK(cuEventSynchronize(a));
  ASK(cuEventElapsedTime(&ms, a, b));
  ASK(cuStreamWaitEvent(s, a, 0));
  ASK(cuEventRecord(a, s));
  ASK(cuEventElapsedTime(&ms, a, b));
  ASK(cuEventRecord(b, s));
  ASK(cuEventSynchronize(b));
  ASK(cuEventElapsedTime(&ms, a, b));
  ASK(ms >= 0);
  ASK(cuEventElapsedTime(&ms, b, a));
  ASK(ms <= 0);
  ASK(cuEventRecord(n, s));
  ASK(cuEventSynchronize(n));
  ASK(cuEventElapsedTime(&ms, a, n));
  ASK(cuEventElapsedTime(&ms, n, n));
  ASK(cuEventElapsedTime(nullptr, a, b));
  ASK(cuEventRecord(nullptr, s));
  ASK(cuEventQuery(nullptr));
  ASK(cuEventSynchronize(nullptr));
  ASK(cuEventDestroy(nullptr));
  ASK(cuStreamWaitEvent(s, nullptr, 0));
  ASK(cuStreamWaitEvent(s, a, 8));
  ASK(cuEventRecordWithFlags(a, s, 8));
  ASK(cuEventDestroy(a));
  ASK(cuEventRecordWithFlags(b, s, CU_EVENT_RECORD_EXTERNAL));
}
static volatile int gate, order[16], seen;
static void wait_gate(void*) {
  while (!gate) usleep(100);
}
static void note(void* v) { order[__sync_fetch_and_add(&seen, 1)] = (int)(long)v; }
static CUresult in_callback;
static void call_api(void*) {
  CUdeviceptr p;
  in_callback = cuMemAlloc(&p, 4);
}

CASE(legacy_stream_order) {
  scene();
  CUstream a, b, n;
  PREPARE(cuStreamCreate(&a, 0));
  PREPARE(cuStreamCreate(&b, 0));
  PREPARE(cuStreamCreate(&n, CU_STREAM_NON_BLOCKING));
  gate = 0;
  seen = 0;
  PREPARE(cuLaunchHostFunc(a, wait_gate, nullptr));
  PREPARE(cuLaunchHostFunc(0, note, (void*)1));
  PREPARE(cuLaunchHostFunc(b, note, (void*)2));
  PREPARE(cuLaunchHostFunc(n, note, (void*)3));
  usleep(200000);
  ASK(seen);
  ASK(order[0]);
  ASK(cuStreamQuery(a));
  ASK(cuStreamQuery(0));
  ASK(cuStreamQuery(b));
  gate = 1;
  ASK(cuCtxSynchronize());
  ASK(seen);
  ASK(order[0]);
  ASK(order[1]);
  ASK(order[2]);
  gate = 0;
  seen = 0;
  PREPARE(cuLaunchHostFunc(a, wait_gate, nullptr));
  PREPARE(cuLaunchHostFunc(CU_STREAM_PER_THREAD, note, (void*)4));
  PREPARE(cuLaunchHostFunc(b, note, (void*)5));
  usleep(200000);
  ASK(seen);
  gate = 1;
  ASK(cuCtxSynchronize());
  gate = 0;
  seen = 0;
  PREPARE(cuLaunchHostFunc(n, wait_gate, nullptr));
  PREPARE(cuLaunchHostFunc(0, note, (void*)6));
  usleep(200000);
  ASK(seen);
  ASK(cuStreamQuery(n));
  gate = 1;
  ASK(cuCtxSynchronize());
}

CASE(event_order) {
  scene();
  CUstream a, b;
  PREPARE(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  CUevent e;
  PREPARE(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  gate = 0;
  seen = 0;
  PREPARE(cuLaunchHostFunc(a, wait_gate, nullptr));
  PREPARE(cuEventRecord(e, a));
  ASK(cuEventQuery(e));
  PREPARE(cuStreamWaitEvent(b, e, 0));
  PREPARE(cuLaunchHostFunc(b, note, (void*)1));
  usleep(200000);
  ASK(seen);
  PREPARE(cuEventRecord(e, b));
  ASK(cuEventQuery(e));
  ASK(cuEventDestroy(e));
  gate = 1;
  ASK(cuStreamSynchronize(b));
  ASK(seen);
  gate = 0;
  seen = 0;
  PREPARE(cuLaunchHostFunc(a, wait_gate, nullptr));
  ASK(cuStreamDestroy(a));
  gate = 1;
  ASK(cuCtxSynchronize());
  PREPARE(cuLaunchHostFunc(b, call_api, nullptr));
  ASK(cuStreamSynchronize(b));
  conformance::answer("API call inside a host function", in_callback);
}

// Which calls return before the device has done the work.
CASE(sync_behaviour) {
  scene();
  CUstream a;
  PREPARE(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  CUdeviceptr p, q;
  PREPARE(cuMemAlloc(&p, 1 << 20));
  PREPARE(cuMemAlloc(&q, 1 << 20));
  void* pinned;
  PREPARE(cuMemAllocHost(&pinned, 1 << 20));
  static char own[1 << 20];
  struct {
    const char* name;
    int pageable, kind;
    size_t n;
  } t[] = {{"HtoDAsync pinned 1MiB", 0, 0, 1 << 20},
           {"HtoDAsync pageable 1MiB", 1, 0, 1 << 20},
           {"HtoDAsync pageable 64KiB", 1, 0, 65536},
           {"HtoDAsync pageable 64KiB+4", 1, 0, 65540},
           {"HtoDAsync pageable 4B", 1, 0, 4},
           {"DtoHAsync pinned 1MiB", 0, 1, 1 << 20},
           {"DtoHAsync pageable 4B", 1, 1, 4},
           {"DtoHAsync pageable 1MiB", 1, 1, 1 << 20},
           {"DtoDAsync", 0, 2, 1 << 20},
           {"MemsetAsync", 0, 3, 1 << 20}};
  for (auto& x : t) {
    gate = 0;
    PREPARE(cuLaunchHostFunc(a, wait_gate, nullptr));
    // A signal opens the gate after 300 ms; a call that waits returns only after that.
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    signal(SIGALRM, [](int) { gate = 1; });
    ualarm(300000, 0);
    CUresult r = x.kind == 0   ? cuMemcpyHtoDAsync(p, x.pageable ? own : pinned, x.n, a)
                 : x.kind == 1 ? cuMemcpyDtoHAsync(x.pageable ? own : pinned, p, x.n, a)
                 : x.kind == 2 ? cuMemcpyDtoDAsync(q, p, x.n, a)
                               : cuMemsetD8Async(p, 1, x.n, a);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    double ms = (t1.tv_sec - t0.tv_sec) * 1e3 + (t1.tv_nsec - t0.tv_nsec) / 1e6;
    conformance::answer(x.name, r);
    conformance::answer(x.name, ms < 150 ? "returned before the work" : "returned after the work");
    gate = 1;
    PREPARE(cuStreamSynchronize(a));
    ualarm(0, 0);
  }
}

CASE(capture) {
  scene();
  CUstream s, o;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamCreate(&o, CU_STREAM_NON_BLOCKING));
  CUgraph g = nullptr;
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 4096));
  CUevent e;
  PREPARE(cuEventCreate(&e, 0));
  CUstreamCaptureStatus st;
  ASK(cuStreamEndCapture(s, &g));
  ASK(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuStreamIsCapturing(s, &st));
  ASK((int)st);
  ASK(cuMemsetD8Async(p, 1, 16, s));
  ASK(cuEventRecord(e, s));
  ASK(cuStreamWaitEvent(o, e, 0));
  ASK(cuMemsetD8Async(p + 64, 1, 16, o));
  ASK(cuStreamIsCapturing(o, &st));
  ASK((int)st);
  ASK(cuEventRecord(e, o));
  ASK(cuStreamWaitEvent(s, e, 0));
  ASK(cuStreamEndCapture(o, &g));
  ASK(cuStreamEndCapture(s, &g));
  size_t n = 0;
  ASK(cuGraphGetNodes(g, nullptr, &n));
  ASK(n);
  CUgraphExec x;
  ASK(cuGraphInstantiate(&x, g, 0));
  ASK(cuGraphLaunch(x, s));
  ASK(cuStreamSynchronize(s));
  ASK(cuGraphExecDestroy(x));
  ASK(cuGraphDestroy(g));
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuMemAlloc(&p, 64));
  ASK(cuStreamIsCapturing(s, &st));
  ASK((int)st);
  ASK(cuStreamSynchronize(s));
  ASK(cuStreamIsCapturing(s, &st));
  ASK((int)st);
  ASK(cuMemsetD8Async(p, 1, 16, s));
  ASK(cuStreamEndCapture(s, &g));
  ASK(g == nullptr);
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuEventRecord(e, s));
  ASK(cuStreamWaitEvent(o, e, 0));
  ASK(cuMemsetD8Async(p, 1, 16, o));
  ASK(cuStreamEndCapture(s, &g));
  ASK(cuStreamIsCapturing(o, &st));
  ASK((int)st);
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  ASK(cuEventQuery(e));
  ASK(cuStreamQuery(s));
  ASK(cuStreamEndCapture(s, &g));
  ASK(cuCtxSynchronize());
}

CASE(stream_mem_ops) {
  scene();
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 64));
  PREPARE(cuMemsetD8(p, 0, 64));
  CUstream s, t;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  ASK(cuStreamWaitValue32(s, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
  ASK(cuStreamQuery(s));
  ASK(cuStreamWriteValue32(t, p, 7, 0));
  ASK(cuStreamSynchronize(s));
  ASK(cuStreamWaitValue32(s, p + 1, 5, 0));
  ASK(cuStreamWaitValue32(s, p, 5, 0x99));
  ASK(cuStreamWriteValue64(s, p + 4, 5, 0));
  ASK(cuStreamWriteValue32(s, 0x10, 5, 0));
  ASK(cuStreamWriteValue32(s, p, 5, 4));
  ASK(cuCtxSynchronize());
}
