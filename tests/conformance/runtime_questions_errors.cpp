// SPDX-License-Identifier: Apache-2.0
// Which calls leave a last error, and which of two errors is told.
#include "runtime_questions.hpp"

using namespace conformance;

static void* device;
static cudaStream_t stream;
static cudaEvent_t event;
static cudaGraph_t graph;

struct Call {
  const char* name;
  cudaError_t (*make)();
};

static void prepare() {
  PREPARE(cudaMalloc(&device, 256));
  PREPARE(cudaStreamCreate(&stream));
  PREPARE(cudaEventCreate(&event));
  PREPARE(cudaGraphCreate(&graph, 0));
}

#define CALL(...)                                             \
  {                                                           \
#__VA_ARGS__, []() -> cudaError_t { return __VA_ARGS__; } \
  }
static int number;
static unsigned word;
static size_t size;
static void* pointer;
static float ms;
static cudaPointerAttributes attributes;
static cudaFuncAttributes function;
static cudaDeviceProp properties;
static cudaGraphExec_t exec;
static cudaMemPool_t pool;
static cudaArray_t array;
static cudaChannelFormatDesc channel = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};

static const Call calls[] = {
    CALL(cudaMalloc(&pointer, 0)),
    CALL(cudaMalloc(nullptr, 0)),
    CALL(cudaMallocHost(nullptr, 4)),
    CALL(cudaMallocHost(nullptr, 0)),
    CALL(cudaHostAlloc(nullptr, 4, 0)),
    CALL(cudaHostAlloc(&pointer, 0, 99)),
    CALL(cudaMallocManaged(nullptr, 4, 1)),
    CALL(cudaMallocManaged(nullptr, 0, 9)),
    CALL(cudaMallocPitch(nullptr, &size, 4, 4)),
    CALL(cudaMallocPitch(&pointer, nullptr, 4, 4)),
    CALL(cudaMalloc3D(nullptr, {4, 4, 4})),
    CALL(cudaMallocArray(&array, nullptr, 4, 4, 0)),
    CALL(cudaFree(bytes)),
    CALL(cudaFreeHost(bytes)),
    CALL(cudaFreeAsync(nullptr, stream)),
    CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyKind(9))),
    CALL(cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyKind(9))),
    CALL(cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy(device, nullptr, 0, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy(device, bytes, 1 << 24, cudaMemcpyKind(9))),
    CALL(cudaMemset(nullptr, 0, 0)),
    CALL(cudaMemset(nullptr, 0, 4)),
    CALL(cudaMemset2D(nullptr, 0, 0, 0, 0)),
    CALL(cudaMemset2D(nullptr, 0, 0, 4, 4)),
    CALL(cudaMemcpy2D(nullptr, 0, nullptr, 0, 0, 0, cudaMemcpyKind(9))),
    CALL(cudaMemcpy2D(nullptr, 0, nullptr, 0, 4, 4, cudaMemcpyKind(9))),
    CALL(cudaMemcpy2D(nullptr, 0, nullptr, 0, 4, 4, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpyToSymbol(unregistered_variable, bytes, 4, 0, cudaMemcpyKind(9))),
    CALL(cudaMemcpyToSymbol(numbers, bytes, 99, 0, cudaMemcpyKind(9))),
    CALL(cudaMemcpyToSymbol(numbers, bytes, 99, 0, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpyToSymbol(nullptr, nullptr, 0, 0, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpyFromSymbol(nullptr, numbers, 99, 0, cudaMemcpyHostToDevice)),
    CALL(cudaGetSymbolAddress(nullptr, numbers)),
    CALL(cudaGetSymbolAddress(nullptr, unregistered_variable)),
    CALL(cudaGetSymbolSize(nullptr, numbers)),
    CALL(cudaGetSymbolSize(nullptr, unregistered_variable)),
    CALL(cudaStreamCreate(nullptr)),
    CALL(cudaStreamCreateWithFlags(nullptr, 99)),
    CALL(cudaStreamCreateWithPriority(nullptr, 99, 99)),
    CALL(cudaStreamQuery(stream)),
    CALL(cudaStreamGetFlags(stream, nullptr)),
    CALL(cudaStreamGetPriority(stream, nullptr)),
    CALL(cudaStreamGetId(stream, nullptr)),
    CALL(cudaStreamGetDevice(stream, nullptr)),
    CALL(cudaStreamWaitEvent(stream, nullptr, 99)),
    CALL(cudaStreamWaitEvent(stream, event, 99)),
    CALL(cudaStreamIsCapturing(stream, nullptr)),
    CALL(cudaStreamGetCaptureInfo(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)),
    CALL(cudaStreamEndCapture(stream, nullptr)),
    CALL(cudaStreamEndCapture(nullptr, &graph)),
    CALL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureMode(9))),
    CALL(cudaThreadExchangeStreamCaptureMode(nullptr)),
    CALL(cudaLaunchHostFunc(stream, nullptr, nullptr)),
    CALL(cudaStreamAddCallback(stream, nullptr, nullptr, 9)),
    CALL(cudaEventCreate(nullptr)),
    CALL(cudaEventCreateWithFlags(nullptr, 99)),
    CALL(cudaEventQuery(event)),
    CALL(cudaEventQuery(nullptr)),
    CALL(cudaEventRecord(nullptr, stream)),
    CALL(cudaEventElapsedTime(nullptr, nullptr, nullptr)),
    CALL(cudaEventElapsedTime(&ms, event, nullptr)),
    CALL(cudaEventElapsedTime(nullptr, event, event)),
    CALL(cudaGetDevice(nullptr)),
    CALL(cudaGetDeviceCount(nullptr)),
    CALL(cudaGetDeviceProperties(nullptr, 99)),
    CALL(cudaGetDeviceProperties(&properties, 99)),
    CALL(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 99)),
    CALL(cudaDeviceGetAttribute(&number, cudaDeviceAttr(9999), 99)),
    CALL(cudaDeviceGetAttribute(nullptr, cudaDeviceAttr(9999), 0)),
    CALL(cudaDeviceGetLimit(nullptr, cudaLimit(99))),
    CALL(cudaDeviceSetLimit(cudaLimit(99), 0)),
    CALL(cudaDeviceGetPCIBusId(nullptr, 0, 99)),
    CALL(cudaDeviceGetPCIBusId(bytes, 0, 99)),
    CALL(cudaDeviceGetByPCIBusId(nullptr, nullptr)),
    CALL(cudaDeviceCanAccessPeer(nullptr, 0, 99)),
    CALL(cudaDeviceCanAccessPeer(nullptr, 0, 0)),
    CALL(cudaDeviceEnablePeerAccess(99, 99)),
    CALL(cudaDeviceGetP2PAttribute(nullptr, cudaDeviceP2PAttr(99), 0, 99)),
    CALL(cudaDeviceGetP2PAttribute(&number, cudaDeviceP2PAttr(99), 0, 99)),
    CALL(cudaDeviceGetStreamPriorityRange(nullptr, nullptr)),
    CALL(cudaSetDeviceFlags(99999)),
    CALL(cudaGetDeviceFlags(nullptr)),
    CALL(cudaSetValidDevices(nullptr, -1)),
    CALL(cudaChooseDevice(nullptr, &properties)),
    CALL(cudaChooseDevice(&number, nullptr)),
    CALL(cudaRuntimeGetVersion(nullptr)),
    CALL(cudaDriverGetVersion(nullptr)),
    CALL(cudaPointerGetAttributes(nullptr, device)),
    CALL(cudaPointerGetAttributes(nullptr, nullptr)),
    CALL(cudaPointerGetAttributes(&attributes, nullptr)),
    CALL(cudaFuncGetAttributes(nullptr, nullptr)),
    CALL(cudaFuncGetAttributes(nullptr, unregistered)),
    CALL(cudaFuncSetAttribute(unregistered, cudaFuncAttribute(99), -1)),
    CALL(cudaFuncSetAttribute(&empty, cudaFuncAttribute(99), -1)),
    CALL(cudaFuncSetCacheConfig(unregistered, cudaFuncCache(99))),
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, unregistered, 0, 0)),
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, &empty, 0, 0)),
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&number, &empty, 0, 0, 99)),
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&number, unregistered, 32, 0, 99)),
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(nullptr, &empty, 1, 32)),
    CALL(launch(unregistered, 0, 0, 0, stream)),
    CALL(launch(&missing, 0, 0, 0, stream)),
    CALL(launch(&empty, 0, 0, size_t{1} << 30, stream)),
    CALL(launch(&empty, 1, 2048, size_t{1} << 30, stream)),
    CALL(cudaLaunchCooperativeKernel(&empty, 0, 0, nullptr, 0, stream)),
    CALL(cudaLaunchCooperativeKernel(nullptr, 0, 0, nullptr, 0, stream)),
    CALL(cudaGraphCreate(nullptr, 99)),
    CALL(cudaGraphCreate(&graph, 99)),
    CALL(cudaGraphInstantiate(nullptr, nullptr, 99)),
    CALL(cudaGraphInstantiate(&exec, nullptr, 99)),
    CALL(cudaGraphInstantiate(&exec, graph, 999)),
    CALL(cudaGraphAddEmptyNode(nullptr, nullptr, nullptr, 1)),
    CALL(cudaGraphLaunch(nullptr, stream)),
    CALL(cudaGraphUpload(nullptr, stream)),
    CALL(cudaGraphClone(nullptr, graph)),
    CALL(cudaGraphClone(&graph, nullptr)),
    CALL(cudaMemGetInfo(nullptr, nullptr)),
    CALL(cudaMemPoolCreate(nullptr, nullptr)),
    CALL(cudaMemPoolTrimTo(nullptr, 0)),
    CALL(cudaDeviceGetDefaultMemPool(nullptr, 99)),
    CALL(cudaDeviceGetMemPool(&pool, 99)),
    CALL(cudaDeviceSetMemPool(99, nullptr)),
    CALL(cudaMallocAsync(nullptr, 0, stream)),
    CALL(cudaMallocFromPoolAsync(nullptr, 64, nullptr, stream)),
    CALL(cudaHostRegister(nullptr, 0, 9999)),
    CALL(cudaHostRegister(bytes, 64, 9999)),
    CALL(cudaHostUnregister(nullptr)),
    CALL(cudaHostGetDevicePointer(nullptr, nullptr, 9)),
    CALL(cudaHostGetDevicePointer(&pointer, nullptr, 0)),
    CALL(cudaHostGetFlags(nullptr, nullptr)),
    CALL(cudaHostGetFlags(&word, nullptr)),
    CALL(cudaGetChannelDesc(&channel, nullptr)),
    CALL(cudaGetChannelDesc(nullptr, nullptr)),
    CALL(cudaStreamDestroy(nullptr)),
    CALL(cudaEventDestroy(nullptr)),
    CALL(cudaCtxResetPersistingL2Cache()),
    CALL(cudaInitDevice(99, 0, 99)),
    CALL(cudaInitDevice(0, 0x9999, 0)),
};

// TRY clears what each call leaves. Then another error waits when the call is made.
CASE(rq_last_errors) {
  prepare();
  for (const Call& one : calls) TOLD(one.make(), one.name);
}

CASE(rq_last_errors_after_another) {
  prepare();
  for (const Call& one : calls) {
    leave_an_error();
    survive(one.name, [&] {
      static std::string told;
      told = cudaGetErrorName(one.make());
      told += text(", peek ", cudaGetErrorName(cudaPeekAtLastError()));
      told += text(", get ", cudaGetErrorName(cudaGetLastError()));
      told += text(", then ", cudaGetErrorName(cudaPeekAtLastError()));
      return told.c_str();
    });
  }
}

// Each call is the first one of a process: has it brought up a context, and what does it answer?
CASE(rq_first_calls) {
  for (const Call& one : calls) {
    alarm(60);
    const pid_t child = fork();
    if (child == 0) {
      TOLD(one.make(), one.name);
      NOTE("contexts", contexts());
      fflush(stdout);
      _exit(0);
    }
    int how = 0;
    waitpid(child, &how, 0);
    if (WIFSIGNALED(how)) NOTE(one.name, text("ends by signal ", WTERMSIG(how)));
  }
}

// What a fault in a kernel does to calls that ask no device.
CASE(rq_calls_after_a_fault) {
  prepare();
  PREPARE(cudaFuncGetAttributes(&function, &empty));
  PREPARE(launch(&trap_now, 1, 1, 0, stream));
  ASK(cudaStreamSynchronize(stream));
  for (const Call& one : calls) TOLD(one.make(), one.name);
  TRY(cudaStreamDestroy(stream));
  TRY(cudaEventDestroy(event));
  TRY(cudaGraphDestroy(graph));
  TRY(cudaFree(device));
  TRY(cudaFuncGetAttributes(&function, &empty));
  TRY(cudaPointerGetAttributes(&attributes, device));
  TRY(cudaGetDeviceProperties(&properties, 0));
  TRY(cudaMemcpy(bytes, bytes + 64, 64, cudaMemcpyHostToHost));
  TRY(cudaSetDeviceFlags(0));
  TRY(cudaDeviceGetMemPool(&pool, 0));
}
