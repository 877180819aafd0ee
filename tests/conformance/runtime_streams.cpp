// SPDX-License-Identifier: Apache-2.0
// Streams, events and capture.
#include "runtime.hpp"

using namespace conformance;

static void count_up(void* data) { ++*static_cast<int*>(data); }

CASE(rt_streams) {
  cudaStream_t s;
  unsigned flags;
  int priority, least, greatest;
  for (unsigned flag : {0u, 1u, 2u, 3u, 4u})
    answer_last(("cudaStreamCreateWithFlags " + std::to_string(flag)).c_str(),
                cudaStreamCreateWithFlags(&s, flag));
  TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  ASK(least);
  ASK(greatest);
  TRY(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
  for (int wanted : {3, 0, -1, -5, -6, -100}) {
    answer_last(("cudaStreamCreateWithPriority " + std::to_string(wanted)).c_str(),
                cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, wanted));
    TRY(cudaStreamGetPriority(s, &priority));
    ASK(priority);
  }
  TRY(cudaStreamCreateWithPriority(&s, 7, 0));
  TRY(cudaStreamGetFlags(s, &flags));
  ASK(flags);
  TRY(cudaStreamGetFlags(nullptr, &flags));
  ASK(flags);
  TRY(cudaStreamGetFlags(cudaStreamPerThread, &flags));
  ASK(flags);
  TRY(cudaStreamGetFlags(s, nullptr));
  TRY(cudaStreamGetPriority(nullptr, &priority));
  ASK(priority);
  unsigned long long id, legacy;
  int device;
  TRY(cudaStreamGetId(nullptr, &legacy));
  TRY(cudaStreamGetId(cudaStreamLegacy, &id));
  ASK(id == legacy);
  TRY(cudaStreamGetId(cudaStreamPerThread, &id));
  ASK(id == legacy);
  TRY(cudaStreamGetDevice(s, &device));
  ASK(device);
  TRY(cudaStreamDestroy(nullptr));
  TRY(cudaStreamDestroy(cudaStreamLegacy));
  TRY(cudaStreamDestroy(cudaStreamPerThread));
  int ran = 0;
  TRY(cudaLaunchHostFunc(s, count_up, &ran));
  TRY(cudaStreamSynchronize(s));
  ASK(ran);
  TRY(cudaStreamAddCallback(
      s, [](cudaStream_t, cudaError_t, void* data) { count_up(data); }, &ran, 0));
  TRY(cudaStreamSynchronize(s));
  ASK(ran);
  TRY(cudaStreamAddCallback(
      s, [](cudaStream_t, cudaError_t, void* data) { count_up(data); }, &ran, 1));
  TRY(cudaStreamAddCallback(s, nullptr, nullptr, 0));
  static cudaError_t inside[4];
  TRY(cudaLaunchHostFunc(
      s,
      [](void*) {
        void* p;
        inside[0] = cudaMalloc(&p, 4);
        inside[1] = cudaDeviceSynchronize();
        inside[2] = cudaGetLastError();
        inside[3] = cudaStreamQuery(nullptr);
      },
      nullptr));
  TRY(cudaStreamSynchronize(s));
  for (cudaError_t one : inside) ASK(one);
  cudaStreamAttrValue value = {};
  for (int which = 0; which <= 10; ++which)
    answer_last(("cudaStreamGetAttribute " + std::to_string(which)).c_str(),
                cudaStreamGetAttribute(s, cudaStreamAttrID(which), &value));
  TRY(cudaStreamWaitEvent(s, nullptr, 0));
  TRY(cudaStreamCopyAttributes(s, s));
  TRY(cudaStreamDestroy(s));
}

CASE(rt_events) {
  cudaEvent_t a, b, plain;
  float ms = -1;
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u})
    answer_last(("cudaEventCreateWithFlags " + std::to_string(flags)).c_str(),
                cudaEventCreateWithFlags(&a, flags));
  TRY(cudaEventCreate(nullptr));
  PREPARE(cudaEventCreate(&a));
  PREPARE(cudaEventCreate(&b));
  PREPARE(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  TRY(cudaEventQuery(a));
  TRY(cudaEventSynchronize(a));
  TRY(cudaEventElapsedTime(&ms, a, b));
  TRY(cudaEventRecord(a, nullptr));
  TRY(cudaEventElapsedTime(&ms, a, b));
  TRY(cudaEventRecord(b, nullptr));
  TRY(cudaEventSynchronize(b));
  TRY(cudaEventElapsedTime(&ms, a, b));
  ASK(ms >= 0);
  TRY(cudaEventElapsedTime(&ms, a, a));
  ASK(ms == 0);
  TRY(cudaEventElapsedTime(&ms, b, a));
  ASK(ms <= 0);
  TRY(cudaEventRecord(plain, nullptr));
  TRY(cudaEventSynchronize(plain));
  TRY(cudaEventElapsedTime(&ms, a, plain));
  TRY(cudaEventElapsedTime(&ms, plain, b));
  TRY(cudaEventElapsedTime(nullptr, a, b));
  TRY(cudaEventElapsedTime(&ms, nullptr, b));
  TRY(cudaEventElapsedTime(&ms, a, nullptr));
  TRY(cudaEventQuery(nullptr));
  TRY(cudaEventSynchronize(nullptr));
  TRY(cudaEventRecord(nullptr, nullptr));
  TRY(cudaEventDestroy(nullptr));
  for (unsigned flags : {0u, 1u, 2u, 3u})
    answer_last(("cudaEventRecordWithFlags " + std::to_string(flags)).c_str(),
                cudaEventRecordWithFlags(a, nullptr, flags));
  for (unsigned flags : {0u, 1u, 2u})
    answer_last(("cudaStreamWaitEvent " + std::to_string(flags)).c_str(),
                cudaStreamWaitEvent(nullptr, a, flags));
  cudaIpcEventHandle_t handle;
  TRY(cudaIpcGetEventHandle(&handle, a));
  TRY(cudaIpcGetEventHandle(&handle, plain));
  TRY(cudaEventDestroy(a));
}

// What may be done while a stream captures, and what ends the capture.
static cudaStream_t stream;
static void *memory, *host;
static cudaGraph_t graph;

static void ask_while_capturing(const char* what, cudaStreamCaptureMode mode,
                                cudaError_t (*call)()) {
  PREPARE(cudaStreamBeginCapture(stream, mode));
  const std::string question = std::string(what) + ", mode " + std::to_string(mode);
  answer_last(question.c_str(), call());
  cudaStreamCaptureStatus status;
  answer_last("cudaStreamIsCapturing", cudaStreamIsCapturing(stream, &status));
  ASK(int(status));
  graph = nullptr;
  TRY(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 99;
  if (graph) PREPARE(cudaGraphGetNodes(graph, nullptr, &nodes));
  ASK(nodes);
  cudaDeviceSynchronize();
  cudaGetLastError();
}

CASE(rt_capture_calls) {
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(cudaMalloc(&memory, 64));
  PREPARE(cudaMallocHost(&host, 64));
  PREPARE(launch(&empty, 1, 1, 0, stream));
  PREPARE(cudaDeviceSynchronize());
  const struct {
    const char* name;
    cudaError_t (*call)();
  } calls[] = {
      {"nothing", [] { return cudaSuccess; }},
      {"cudaMalloc",
       [] {
         void* p;
         return cudaMalloc(&p, 64);
       }},
      {"cudaMallocHost",
       [] {
         void* p;
         return cudaMallocHost(&p, 64);
       }},
      {"cudaMallocAsync",
       [] {
         void* p;
         return cudaMallocAsync(&p, 64, stream);
       }},
      {"cudaStreamSynchronize", [] { return cudaStreamSynchronize(stream); }},
      {"cudaStreamQuery", [] { return cudaStreamQuery(stream); }},
      {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
      {"cudaMemcpy", [] { return cudaMemcpy(memory, host, 4, cudaMemcpyHostToDevice); }},
      {"cudaMemcpyAsync",
       [] { return cudaMemcpyAsync(memory, host, 4, cudaMemcpyHostToDevice, stream); }},
      {"cudaMemsetAsync", [] { return cudaMemsetAsync(memory, 0, 4, stream); }},
      {"a launch", [] { return launch(&empty, 1, 1, 0, stream); }},
      {"a launch with grid 0", [] { return launch(&empty, 0, 1, 0, stream); }},
      {"a launch on the legacy stream", [] { return launch(&empty, 1, 1, 0, nullptr); }},
      {"a launch of nothing registered", [] { return launch(unregistered, 1, 1, 0, stream); }},
      {"cudaStreamGetFlags",
       [] {
         unsigned flags;
         return cudaStreamGetFlags(stream, &flags);
       }},
      {"cudaStreamBeginCapture again",
       [] { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed); }},
      {"cudaEventCreate",
       [] {
         cudaEvent_t e;
         return cudaEventCreate(&e);
       }},
      {"cudaStreamCreate",
       [] {
         cudaStream_t s;
         return cudaStreamCreate(&s);
       }},
      {"cudaMemGetInfo",
       [] {
         size_t a, b;
         return cudaMemGetInfo(&a, &b);
       }},
      {"cudaFree of null", [] { return cudaFree(nullptr); }},
      {"cudaLaunchHostFunc",
       [] {
         static int n;
         return cudaLaunchHostFunc(stream, count_up, &n);
       }},
      {"cudaStreamAddCallback",
       [] {
         return cudaStreamAddCallback(
             stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0);
       }},
      {"cudaEventRecord",
       [] {
         static cudaEvent_t e;
         if (!e) cudaEventCreate(&e);
         return cudaEventRecord(e, stream);
       }},
      {"cudaEventQuery of a captured event",
       [] {
         cudaEvent_t e;
         cudaEventCreate(&e);
         cudaEventRecord(e, stream);
         return cudaEventQuery(e);
       }},
  };
  for (auto one : calls)
    for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                      cudaStreamCaptureModeRelaxed})
      ask_while_capturing(one.name, mode, one.call);
}

CASE(rt_capture_ends) {
  cudaStream_t other;
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(cudaStreamCreate(&other));
  TRY(cudaStreamEndCapture(stream, &graph));
  TRY(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureMode(7)));
  TRY(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamEndCapture(cudaStreamPerThread, &graph));
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  TRY(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr, nullptr));
  ASK(int(status));
  TRY(cudaStreamIsCapturing(nullptr, &status));
  TRY(cudaStreamIsCapturing(stream, nullptr));
  TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  TRY(cudaStreamIsCapturing(nullptr, &status));
  const cudaGraphNode_t* nodes;
  size_t count = 9;
  TRY(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, nullptr, &count));
  ASK(int(status));
  ASK(id != 0);
  ASK(count);
  TRY(launch(&empty, 1, 1, 0, stream));
  TRY(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, nullptr, &count));
  ASK(count);
  cudaEvent_t fork;
  PREPARE(cudaEventCreate(&fork));
  TRY(cudaEventRecord(fork, stream));
  TRY(cudaStreamWaitEvent(other, fork, 0));
  TRY(cudaStreamIsCapturing(other, &status));
  ASK(int(status));
  TRY(cudaStreamEndCapture(other, &graph));
  TRY(launch(&empty, 1, 1, 0, other));
  TRY(cudaStreamEndCapture(stream, &graph));
  TRY(cudaStreamIsCapturing(other, &status));
  ASK(int(status));
  TRY(cudaStreamEndCapture(stream, nullptr));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  TRY(cudaThreadExchangeStreamCaptureMode(&mode));
  ASK(int(mode));
  mode = cudaStreamCaptureMode(9);
  TRY(cudaThreadExchangeStreamCaptureMode(&mode));
}

int main(int count, char** names) { return run(count, names); }
