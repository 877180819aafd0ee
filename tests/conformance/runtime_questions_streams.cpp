// SPDX-License-Identifier: Apache-2.0
// Streams and events: handles that are destroyed or were never given out, the default streams,
// events that are recorded, waited for and timed in every order.
#include <optional>

#include "runtime_questions.hpp"

using namespace conformance;

static void count_up(void* data) { ++*static_cast<int*>(data); }

// Work of a stream that runs until it is told to end, however long the calls meanwhile take.
class HeldWork {
 public:
  explicit HeldWork(cudaStream_t stream) {
    PREPARE(cudaMallocHost(reinterpret_cast<void**>(const_cast<unsigned**>(&flag_)), 4));
    *flag_ = 0;
    PREPARE(launch(&hold, 1, 1, 0, stream, flag_));
  }
  void end() { *flag_ = 1; }

 private:
  volatile unsigned* flag_ = nullptr;
};

CASE(rq_destroyed_stream) {
  cudaStream_t s;
  cudaEvent_t e;
  unsigned flags;
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaStreamCreate(&s));
  TRY(cudaStreamDestroy(s));
  TRY(cudaStreamDestroy(s));
  TRY(cudaStreamQuery(s));
  TRY(cudaStreamSynchronize(s));
  TRY(cudaStreamGetFlags(s, &flags));
  TRY(cudaEventRecord(e, s));
  TRY(launch(&empty, 1, 1, 0, s));
}

CASE(rq_fake_stream) {
  cudaEvent_t e;
  unsigned flags;
  int priority;
  void* d;
  cudaStreamCaptureStatus status;
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaMalloc(&d, 64));
  const auto s = fake<cudaStream_t>();
  TRY(cudaStreamQuery(s));
  TRY(cudaStreamSynchronize(s));
  TRY(cudaStreamGetFlags(s, &flags));
  TRY(cudaStreamGetPriority(s, &priority));
  TRY(cudaStreamIsCapturing(s, &status));
  TRY(cudaStreamWaitEvent(s, e, 0));
  TRY(cudaStreamWaitEvent(s, nullptr, 9));
  TRY(cudaEventRecord(e, s));
  TRY(cudaEventRecord(nullptr, s));
  TRY(cudaMemcpyAsync(d, bytes, 4, cudaMemcpyHostToDevice, s));
  TRY(cudaMemcpyAsync(d, bytes, 4, cudaMemcpyKind(9), s));
  TRY(cudaMemcpyAsync(d, bytes, 0, cudaMemcpyHostToDevice, s));
  TRY(cudaMemsetAsync(d, 0, 4, s));
  TRY(cudaMemsetAsync(d, 0, 0, s));
  TRY(launch(&empty, 1, 1, 0, s));
  TRY(launch(&empty, 0, 1, 0, s));
  TRY(launch(unregistered, 1, 1, 0, s));
  TRY(cudaLaunchHostFunc(s, count_up, bytes));
  TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  TRY(cudaMallocAsync(&d, 4, s));
  TRY(cudaStreamDestroy(s));
}

CASE(rq_destroyed_event) {
  cudaEvent_t e;
  float ms;
  PREPARE(cudaEventCreate(&e));
  TRY(cudaEventDestroy(e));
  TRY(cudaEventDestroy(e));
  TRY(cudaEventQuery(e));
  TRY(cudaEventSynchronize(e));
  TRY(cudaEventRecord(e, nullptr));
  TRY(cudaStreamWaitEvent(nullptr, e, 0));
  TRY(cudaEventElapsedTime(&ms, e, e));
}

CASE(rq_fake_event) {
  float ms;
  PREPARE(cudaFree(nullptr));
  const auto e = fake<cudaEvent_t>();
  TRY(cudaEventQuery(e));
  TRY(cudaEventSynchronize(e));
  TRY(cudaEventRecord(e, nullptr));
  TRY(cudaEventRecordWithFlags(e, nullptr, 9));
  TRY(cudaStreamWaitEvent(nullptr, e, 0));
  TRY(cudaStreamWaitEvent(nullptr, e, 9));
  TRY(cudaEventElapsedTime(&ms, e, e));
  TRY(cudaEventDestroy(e));
}

CASE(rq_event_order) {
  cudaEvent_t a, b, plain, blocking;
  cudaStream_t s;
  float ms = -7;
  PREPARE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  PREPARE(cudaEventCreate(&a));
  PREPARE(cudaEventCreate(&b));
  PREPARE(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  PREPARE(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync));
  // None is recorded.
  TRY(cudaEventElapsedTime(&ms, a, b));
  TRY(cudaEventElapsedTime(&ms, plain, plain));
  TRY(cudaEventElapsedTime(&ms, a, plain));
  TRY(cudaStreamWaitEvent(s, a, 0));
  TRY(cudaEventSynchronize(blocking));
  ASK(ms == -7);
  // One is recorded, and not complete.
  HeldWork held(s);
  PREPARE(cudaEventRecord(a, s));
  TRY(cudaEventElapsedTime(&ms, a, b));
  TRY(cudaEventElapsedTime(&ms, b, a));
  TRY(cudaEventElapsedTime(&ms, a, a));
  TRY(cudaEventElapsedTime(&ms, a, plain));
  TRY(cudaEventQuery(a));
  TRY(cudaEventQuery(b));
  PREPARE(cudaEventRecord(b, s));
  TRY(cudaEventElapsedTime(&ms, a, b));
  // Recorded anew elsewhere before it was complete.
  PREPARE(cudaEventRecord(b, nullptr));
  TRY(cudaEventSynchronize(b));
  TRY(cudaEventQuery(a));
  TRY(cudaEventElapsedTime(&ms, a, b));
  usleep(200'000);
  held.end();
  TRY(cudaEventSynchronize(a));
  TRY(cudaEventElapsedTime(&ms, a, b));
  ASK(ms < 0);
  TRY(cudaEventElapsedTime(&ms, b, a));
  ASK(ms > 100);
  // Destroyed while its work runs.
  HeldWork again(s);
  PREPARE(cudaEventRecord(plain, s));
  TRY(cudaStreamWaitEvent(nullptr, plain, 0));
  TRY(cudaEventDestroy(plain));
  TRY(cudaStreamQuery(nullptr));
  again.end();
  TRY(cudaStreamSynchronize(nullptr));
  TRY(cudaStreamQuery(s));
}

CASE(rq_stream_destroyed_with_work) {
  cudaStream_t s;
  cudaEvent_t e;
  static int ran;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaEventCreate(&e));
  HeldWork held(s);
  PREPARE(cudaLaunchHostFunc(s, count_up, &ran));
  PREPARE(cudaEventRecord(e, s));
  TRY(cudaStreamDestroy(s));
  ASK(ran);
  TRY(cudaEventQuery(e));
  held.end();
  TRY(cudaEventSynchronize(e));
  ASK(ran);
}

CASE(rq_default_streams_of_events) {
  cudaEvent_t e;
  cudaStream_t blocking;
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaStreamCreate(&blocking));
  for (cudaStream_t s : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
    const char* name = !s ? "null" : s == cudaStreamLegacy ? "legacy" : "per thread";
    unsigned flags = 99;
    int priority = 99, device = 99;
    unsigned long long id = 0;
    TOLD(cudaStreamGetFlags(s, &flags), "flags of ", name);
    ASK(flags);
    TOLD(cudaStreamGetPriority(s, &priority), "priority of ", name);
    ASK(priority);
    TOLD(cudaStreamGetDevice(s, &device), "device of ", name);
    ASK(device);
    TOLD(cudaStreamGetId(s, &id), "id of ", name);
    ASK(id != 0);
    TOLD(cudaEventRecord(e, s), "record in ", name);
    TOLD(cudaStreamWaitEvent(s, e, 0), "wait in ", name);
    TOLD(cudaStreamQuery(s) == cudaErrorNotReady ? cudaStreamSynchronize(s) : cudaSuccess,
         "query of ", name);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    TOLD(cudaStreamIsCapturing(s, &status), "capture of ", name);
    ASK(int(status));
    TOLD(cudaStreamAttachMemAsync(s, nullptr, 0, cudaMemAttachGlobal), "attach to ", name);
    cudaLaunchAttributeValue value = {};
    TOLD(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value), "policy of ",
         name);
    ASK(int(value.syncPolicy));
    TOLD(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value),
         "set policy of ", name);
    TOLD(cudaStreamCopyAttributes(s, blocking), "attributes to ", name);
    TOLD(cudaStreamCopyAttributes(blocking, s), "attributes from ", name);
    int ran = 0;
    TOLD(cudaLaunchHostFunc(s, count_up, &ran), "host function in ", name);
    TRY(cudaStreamSynchronize(s));
    ASK(ran);
  }
}

// Host functions: what they may call, and what becomes of errors they make.
CASE(rq_host_functions) {
  cudaStream_t s;
  PREPARE(cudaStreamCreate(&s));
  static cudaError_t inside[12];
  TRY(cudaLaunchHostFunc(
      s,
      [](void*) {
        int n;
        void* p;
        cudaEvent_t e;
        inside[0] = cudaGetDevice(&n);
        inside[1] = cudaSetDevice(0);
        inside[2] = cudaGetDeviceCount(&n);
        inside[3] = cudaEventCreate(&e);
        inside[4] = cudaMallocHost(&p, 4);
        inside[5] = cudaPeekAtLastError();
        inside[6] = launch(&empty, 1, 1, 0, nullptr);
        inside[7] = cudaRuntimeGetVersion(&n);
        inside[8] = cudaFree(nullptr);
        inside[9] = cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0);
        inside[10] = cudaMemcpy(bytes, bytes + 8, 8, cudaMemcpyHostToHost);
        inside[11] = cudaGetLastError();
      },
      nullptr));
  TRY(cudaStreamSynchronize(s));
  for (cudaError_t one : inside) ASK(one);
  static cudaError_t had = cudaErrorUnknown;
  TRY(cudaStreamAddCallback(
      s, [](cudaStream_t, cudaError_t status, void*) { had = status; }, nullptr, 0));
  TRY(cudaStreamSynchronize(s));
  ASK(had);
  static bool same;
  TRY(cudaStreamAddCallback(
      nullptr, [](cudaStream_t in, cudaError_t, void*) { same = in == nullptr; }, nullptr, 0));
  TRY(cudaDeviceSynchronize());
  ASK(same);
  TRY(cudaStreamAddCallback(
      s, [](cudaStream_t in, cudaError_t, void* data) { same = in == data; }, s, 0));
  TRY(cudaDeviceSynchronize());
  ASK(same);
}

// A fault: do callbacks and host functions behind it still run?
CASE(rq_host_functions_after_a_fault) {
  cudaStream_t s, other;
  static int ran, called;
  static cudaError_t had = cudaErrorUnknown;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  PREPARE(launch(&empty, 1, 1, 0, s));
  PREPARE(cudaDeviceSynchronize());
  PREPARE(launch(&spin, 1, 1, 0, s, uint64_t{50'000'000}));
  PREPARE(launch(&trap_now, 1, 1, 0, s));
  TRY(cudaLaunchHostFunc(s, count_up, &ran));
  TRY(cudaStreamAddCallback(
      s,
      [](cudaStream_t, cudaError_t status, void*) {
        ++called;
        had = status;
      },
      nullptr, 0));
  TRY(cudaStreamSynchronize(s));
  ASK(ran);
  ASK(called);
  ASK(had);
  TRY(cudaLaunchHostFunc(other, count_up, &ran));
  TRY(cudaStreamSynchronize(other));
  ASK(ran);
}

// Per-thread streams outlive their threads' work.
CASE(rq_per_thread_streams_of_threads) {
  static cudaEvent_t e;
  static std::optional<HeldWork> held;
  PREPARE(cudaEventCreate(&e));
  const auto begin = [] {
    held.emplace(cudaStreamPerThread);
    PREPARE(cudaEventRecord(e, cudaStreamPerThread));
  };
  elsewhere(begin);
  TRY(cudaEventQuery(e));
  TRY(cudaStreamQuery(cudaStreamPerThread));
  TRY(cudaStreamWaitEvent(cudaStreamPerThread, e, 0));
  TRY(cudaStreamQuery(cudaStreamPerThread));
  held->end();
  TRY(cudaStreamSynchronize(cudaStreamPerThread));
  TRY(cudaEventQuery(e));
  // The legacy stream waits for the streams of all threads.
  elsewhere(begin);
  PREPARE(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaEventQuery(e));
  held->end();
  TRY(cudaStreamSynchronize(nullptr));
  TRY(cudaEventQuery(e));
}
