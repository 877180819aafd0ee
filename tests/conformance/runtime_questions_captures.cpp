// SPDX-License-Identifier: Apache-2.0
// Captures: what may be asked and called while one runs, how it forks and ends.
#include "runtime_questions.hpp"

using namespace conformance;

static cudaStream_t stream, other;
static void *memory, *pinned, *ordered;
static cudaEvent_t event, recorded;
static cudaGraphExec_t exec;
static cudaGraph_t empty_graph;
static cudaMemPool_t pool;
static int number;
static unsigned word;
static size_t size;
static uint64_t attribute;
static cudaStreamCaptureStatus status;
static cudaPointerAttributes pointer;
static cudaFuncAttributes function;
static cudaDeviceProp properties;
static void* at;
static float ms;
static cudaStreamAttrValue value;
static cudaArray_t array;
static const cudaChannelFormatDesc channel = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};

struct Call {
  const char* name;
  cudaError_t (*make)();
};
#define CALL(...)                                             \
  {                                                           \
#__VA_ARGS__, []() -> cudaError_t { return __VA_ARGS__; } \
  }
static const Call calls[] = {
    CALL(cudaStreamGetPriority(stream, &number)),
    CALL(cudaStreamGetDevice(stream, &number)),
    CALL(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &value)),
    CALL(cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value)),
    CALL(cudaStreamQuery(other)),
    CALL(cudaStreamSynchronize(other)),
    CALL(cudaStreamQuery(nullptr)),
    CALL(cudaStreamSynchronize(nullptr)),
    CALL(cudaStreamQuery(cudaStreamPerThread)),
    CALL(cudaStreamWaitEvent(stream, recorded, 0)),
    CALL(cudaStreamWaitEvent(stream, event, 0)),
    CALL(cudaStreamWaitEvent(nullptr, recorded, 0)),
    CALL(cudaEventQuery(recorded)),
    CALL(cudaEventQuery(event)),
    CALL(cudaEventSynchronize(recorded)),
    CALL(cudaEventSynchronize(event)),
    CALL(cudaEventElapsedTime(&ms, recorded, recorded)),
    CALL(cudaEventRecord(event, nullptr)),
    CALL(cudaEventRecord(event, other)),
    CALL(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal)),
    CALL(cudaStreamWaitEvent(stream, recorded, cudaEventWaitExternal)),
    CALL(cudaMemcpy(memory, pinned, 4, cudaMemcpyDefault)),
    CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault)),
    CALL(cudaMemcpyAsync(memory, pinned, 0, cudaMemcpyDefault, stream)),
    CALL(cudaMemcpyAsync(memory, bytes, 4, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyKind(9), stream)),
    CALL(cudaMemcpyAsync(nullptr, pinned, 4, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemcpyAsync(bytes, bytes + 8, 4, cudaMemcpyHostToHost, stream)),
    CALL(cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyHostToDevice, other)),
    CALL(cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyHostToDevice, nullptr)),
    CALL(cudaMemcpy2DAsync(memory, 8, pinned, 8, 4, 2, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemcpy2DAsync(memory, 2, pinned, 8, 4, 2, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemcpyToSymbol(numbers, pinned, 4, 0, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpyToSymbolAsync(numbers, pinned, 4, 0, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemcpyToSymbolAsync(numbers, pinned, 99, 0, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemset(memory, 0, 4)),
    CALL(cudaMemset2DAsync(memory, 8, 0, 4, 2, stream)),
    CALL(cudaMemsetAsync(memory, 0, 0, stream)),
    CALL(cudaMemsetAsync(nullptr, 0, 4, stream)),
    CALL(cudaMemsetAsync(memory, 0, 4, nullptr)),
    CALL(cudaFree(memory == nullptr ? nullptr : bytes)),
    CALL(cudaFreeHost(nullptr)),
    CALL(cudaFreeAsync(nullptr, stream)),
    CALL(cudaFreeAsync(ordered, stream)),
    CALL(cudaMallocAsync(&at, 0, stream)),
    CALL(cudaMallocAsync(&at, 4, nullptr)),
    CALL(cudaMallocFromPoolAsync(&at, 64, pool, stream)),
    CALL(cudaHostRegister(bytes, 64, 0)),
    CALL(cudaMallocManaged(&at, 64, cudaMemAttachGlobal)),
    CALL(cudaMallocArray(&array, &channel, 4, 4, 0)),
    CALL(cudaMallocPitch(&at, &size, 4, 4)),
    CALL(cudaGetSymbolAddress(&at, numbers)),
    CALL(cudaGetSymbolSize(&size, numbers)),
    CALL(cudaPointerGetAttributes(&pointer, memory)),
    CALL(cudaFuncGetAttributes(&function, &empty)),
    CALL(cudaFuncSetAttribute(&empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 64)),
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, &empty, 32, 0)),
    CALL(cudaGetDevice(&number)),
    CALL(cudaSetDevice(0)),
    CALL(cudaSetDeviceFlags(0)),
    CALL(cudaGetDeviceFlags(&word)),
    CALL(cudaGetDeviceProperties(&properties, 0)),
    CALL(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0)),
    CALL(cudaDeviceGetLimit(&size, cudaLimitStackSize)),
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 1024)),
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &attribute)),
    CALL(cudaMemPoolTrimTo(pool, 0)),
    CALL(cudaGraphLaunch(exec, stream)),
    CALL(cudaGraphLaunch(exec, other)),
    CALL(cudaGraphLaunch(exec, nullptr)),
    CALL(cudaGraphInstantiate(&exec, empty_graph, 0)),
    CALL(cudaLaunchCooperativeKernel(&empty, 1, 1, nullptr, 0, stream)),
    CALL(launch(&empty, 1, 2048, 0, stream)),
    CALL(launch(&empty, 1, 1, 0, cudaStreamPerThread)),
    CALL(cudaLaunchHostFunc(stream, nullptr, nullptr)),
    CALL(cudaLaunchHostFunc(
        nullptr, [](void*) {}, nullptr)),
    CALL(cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachGlobal)),
    CALL(cudaStreamIsCapturing(other, &status)),
    CALL(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal)),
    CALL(cudaStreamEndCapture(other, &empty_graph)),
    CALL(cudaStreamEndCapture(stream, nullptr)),
    CALL(cudaStreamCopyAttributes(stream, other)),
    CALL(cudaMemPrefetchAsync(memory, 64, {cudaMemLocationTypeDevice, 0}, 0, stream)),
    CALL(cudaDeviceSetMemPool(0, pool)),
    CALL(cudaCtxResetPersistingL2Cache()),
    CALL(cudaDeviceGetStreamPriorityRange(&number, nullptr)),
};

CASE(rq_calls_in_captures) {
  PREPARE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  PREPARE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  PREPARE(cudaMalloc(&memory, 64));
  PREPARE(cudaMallocHost(&pinned, 64));
  PREPARE(cudaEventCreate(&event));
  PREPARE(cudaEventCreate(&recorded));
  PREPARE(cudaEventRecord(recorded, nullptr));
  PREPARE(cudaGraphCreate(&empty_graph, 0));
  PREPARE(cudaGraphInstantiate(&exec, empty_graph, 0));
  PREPARE(cudaDeviceGetDefaultMemPool(&pool, 0));
  PREPARE(launch(&empty, 1, 1, 0, stream));
  PREPARE(cudaGetSymbolAddress(&at, numbers));
  for (const Call& one : calls)
    for (int mode : {0, 1, 2}) {
      PREPARE(cudaMallocAsync(&ordered, 64, other));
      PREPARE(cudaDeviceSynchronize());
      PREPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureMode(mode)));
      TOLD(one.make(), one.name, ", mode ", mode);
      const cudaError_t asked = cudaStreamIsCapturing(stream, &status);
      cudaGraph_t g = nullptr;
      const cudaError_t ended = cudaStreamEndCapture(stream, &g);
      size_t nodes = 99;
      if (g) PREPARE(cudaGraphGetNodes(g, nullptr, &nodes));
      NOTE("then", text(cudaGetErrorName(asked), " ", status, ", ", cudaGetErrorName(ended), ", ",
                        nodes, " nodes"));
      if (cudaStreamIsCapturing(other, &status) == cudaSuccess && status)
        cudaStreamEndCapture(other, &g);
      cudaDeviceSynchronize();
      cudaGetLastError();
    }
}

CASE(rq_captures_that_fork) {
  cudaStream_t third;
  cudaGraph_t g;
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(cudaStreamCreate(&other));
  PREPARE(cudaStreamCreate(&third));
  PREPARE(cudaEventCreate(&event));
  PREPARE(cudaEventCreate(&recorded));
  PREPARE(launch(&empty, 1, 1, 0, stream));
  PREPARE(cudaDeviceSynchronize());
  size_t n = 99;
  const auto ended = [&] {
    g = nullptr;
    n = 99;
    TRY(cudaStreamEndCapture(stream, &g));
    if (g) PREPARE(cudaGraphGetNodes(g, nullptr, &n));
    ASK(n);
    TRY(cudaStreamIsCapturing(other, &status));
    ASK(int(status));
    cudaGetLastError();
  };
  const auto fork = [&] {
    PREPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    PREPARE(launch(&empty, 1, 1, 0, stream));
    PREPARE(cudaEventRecord(event, stream));
    PREPARE(cudaStreamWaitEvent(other, event, 0));
    PREPARE(launch(&empty, 1, 1, 0, other));
  };
  fork();
  ended();
  fork();
  PREPARE(cudaEventRecord(recorded, other));
  TRY(cudaStreamWaitEvent(stream, recorded, 0));
  ended();
  fork();
  PREPARE(cudaEventRecord(recorded, other));
  TRY(cudaEventQuery(recorded));
  TRY(cudaEventSynchronize(recorded));
  TRY(cudaEventElapsedTime(&ms, event, recorded));
  TRY(cudaStreamWaitEvent(stream, recorded, 0));
  ended();
  // An event of a capture that has ended.
  TRY(cudaStreamWaitEvent(third, recorded, 0));
  TRY(cudaEventQuery(recorded));
  TRY(cudaEventSynchronize(recorded));
  TRY(cudaEventElapsedTime(&ms, event, recorded));
  // Two captures that meet.
  PREPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  PREPARE(cudaStreamBeginCapture(third, cudaStreamCaptureModeRelaxed));
  PREPARE(cudaEventRecord(event, third));
  TRY(cudaStreamWaitEvent(stream, event, 0));
  TRY(cudaStreamIsCapturing(stream, &status));
  ASK(int(status));
  TRY(launch(&empty, 1, 1, 0, stream));
  TRY(cudaStreamEndCapture(third, &g));
  ended();
  // The stream that forked is destroyed.
  fork();
  TRY(cudaStreamDestroy(other));
  PREPARE(cudaStreamCreate(&other));
  ended();
  // An event destroyed between record and wait.
  PREPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  PREPARE(cudaEventRecord(event, stream));
  TRY(cudaEventDestroy(event));
  ended();
}

CASE(rq_capture_information) {
  cudaGraph_t g;
  cudaGraphNode_t node;
  const cudaGraphNode_t* nodes;
  const cudaGraphEdgeData* edges;
  unsigned long long id;
  size_t n;
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(launch(&empty, 1, 1, 0, stream));
  const auto ask = [&] {
    id = 0;
    n = 99;
    nodes = reinterpret_cast<const cudaGraphNode_t*>(bytes);
    edges = reinterpret_cast<const cudaGraphEdgeData*>(bytes);
    g = reinterpret_cast<cudaGraph_t>(bytes);
    status = cudaStreamCaptureStatus(9);
    TRY(cudaStreamGetCaptureInfo(stream, &status, &id, &g, &nodes, &edges, &n));
    NOTE("is", text(status, ", id ", id != 0, ", graph ",
                    !g                                          ? "null"
                    : g == reinterpret_cast<cudaGraph_t>(bytes) ? "left"
                                                                : "given",
                    ", nodes ", n, edges ? ", edges" : ", no edges"));
    n = 99;
    status = cudaStreamCaptureStatus(9);
    TRY(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &n));
    TRY(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr, nullptr));
    TRY(cudaStreamGetCaptureInfo(stream, nullptr, &id, nullptr, nullptr, nullptr, nullptr));
  };
  ask();
  PREPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  ask();
  PREPARE(launch(&empty, 1, 1, 0, stream));
  ask();
  TRY(cudaStreamGetCaptureInfo(nullptr, &status, &id, nullptr, nullptr, nullptr, nullptr));
  TRY(cudaStreamGetCaptureInfo(cudaStreamLegacy, &status, &id, nullptr, nullptr, nullptr, nullptr));
  TRY(cudaStreamGetCaptureInfo(cudaStreamPerThread, &status, &id, nullptr, nullptr, nullptr,
                               nullptr));
  PREPARE(cudaStreamGetCaptureInfo(stream, &status, &id, &g, &nodes, &edges, &n));
  TRY(cudaGraphAddEmptyNode(&node, g, nodes, n));
  for (unsigned flags : {0u, 1u, 2u}) {
    TOLD(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, flags),
         "dependencies, flags ", flags);
    TRY(cudaStreamGetCaptureInfo(stream, &status, &id, &g, &nodes, &edges, &n));
    ASK(n);
  }
  TRY(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 1, 1));
  TRY(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 1));
  TRY(cudaStreamUpdateCaptureDependencies(nullptr, &node, nullptr, 1, 1));
  cudaStreamSynchronize(stream);
  cudaGetLastError();
  ask();
  TRY(cudaStreamEndCapture(stream, &g));
  TRY(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, 1));
  // Into a graph that is there.
  cudaGraph_t mine;
  PREPARE(cudaGraphCreate(&mine, 0));
  PREPARE(cudaGraphAddEmptyNode(&node, mine, nullptr, 0));
  TRY(cudaStreamBeginCaptureToGraph(stream, mine, &node, nullptr, 1, cudaStreamCaptureModeRelaxed));
  ask();
  TRY(launch(&empty, 1, 1, 0, stream));
  g = nullptr;
  TRY(cudaStreamEndCapture(stream, &g));
  ASK(g == mine);
  TRY(cudaGraphGetNodes(mine, nullptr, &n));
  ASK(n);
  TRY(cudaStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0,
                                    cudaStreamCaptureModeRelaxed));
  TRY(cudaStreamBeginCaptureToGraph(stream, mine, nullptr, nullptr, 1,
                                    cudaStreamCaptureModeRelaxed));
  TRY(cudaStreamBeginCaptureToGraph(stream, mine, nullptr, nullptr, 0, cudaStreamCaptureMode(9)));
  TRY(cudaStreamBeginCaptureToGraph(nullptr, mine, nullptr, nullptr, 0,
                                    cudaStreamCaptureModeRelaxed));
}

CASE(rq_graph_of_a_capture) {
  cudaGraph_t g;
  cudaGraphExec_t e;
  unsigned long long id;
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(launch(&empty, 1, 1, 0, stream));
  PREPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  PREPARE(launch(&empty, 1, 1, 0, stream));
  PREPARE(cudaStreamGetCaptureInfo(stream, &status, &id, &g, nullptr, nullptr, nullptr));
  TRY(cudaGraphInstantiate(&e, g, 0));
  TRY(cudaGraphDestroy(g));
  TRY(cudaStreamIsCapturing(stream, &status));
  ASK(int(status));
  TRY(cudaStreamEndCapture(stream, &g));
}
