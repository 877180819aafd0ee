// SPDX-License-Identifier: Apache-2.0
// Corners: what is left of handles after a reset, forks, captures that end in other threads,
// launches and copies at their limits, properties of memory of every kind.
#include <sys/mman.h>

#include <thread>

#include "runtime.hpp"

using namespace conformance;

static unsigned host[256];

template <typename Body>
static void elsewhere(Body body) {
  std::thread(body).join();
}

CASE(rt_flags_at_first) {
  unsigned flags = 77;
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  NOTE("contexts", contexts());
  TRY(cudaGetDeviceFlags(nullptr));
  PREPARE(cudaFree(nullptr));
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
}

CASE(rt_flags_of_a_retained_context) {
  CUcontext primary;
  unsigned flags = 77;
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  PREPARE(cuCtxSetCurrent(primary));
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  TRY(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  TRY(cudaGetDeviceFlags(&flags));
  ASK(flags);
  TRY(cudaDeviceReset());
  NOTE("contexts", contexts());
}

CASE(rt_handles_after_a_reset) {
  cudaStream_t s;
  cudaEvent_t e, e2;
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaMemPool_t pool;
  void *p, *pinned;
  float ms;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaEventCreate(&e2));
  PREPARE(cudaEventRecord(e, s));
  PREPARE(cudaGraphCreate(&g, 0));
  PREPARE(cudaGraphInstantiate(&x, g, 0));
  PREPARE(cudaMalloc(&p, 64));
  PREPARE(cudaMallocHost(&pinned, 64));
  PREPARE(cudaDeviceGetDefaultMemPool(&pool, 0));
  PREPARE(cudaDeviceReset());
  TRY(cudaStreamQuery(s));
  NOTE("contexts", contexts());
  TRY(cudaStreamSynchronize(s));
  TRY(cudaEventSynchronize(e));
  TRY(cudaEventRecord(e, nullptr));
  TRY(cudaEventElapsedTime(&ms, e, e2));
  TRY(cudaStreamWaitEvent(nullptr, e, 0));
  TRY(cudaStreamWaitEvent(s, e, 0));
  NOTE("contexts", contexts());
  TRY(cudaMemsetAsync(p, 0, 4, s));
  TRY(launch(&empty, 1, 1, 0, s));
  TRY(cudaGraphLaunch(x, nullptr));
  TRY(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemset(p, 0, 4));
  cudaPointerAttributes a;
  TRY(cudaPointerGetAttributes(&a, pinned));
  ASK(int(a.type));
  NOTE("contexts", contexts());
  cudaEvent_t fresh;
  TRY(cudaEventCreate(&fresh));
  TRY(cudaEventQuery(fresh));
  TRY(cudaEventDestroy(fresh));
}

CASE(rt_reset_in_a_new_thread) {
  void* p;
  PREPARE(cudaMalloc(&p, 64));
  elsewhere([] {
    TRY(cudaDeviceReset());
    NOTE("contexts", contexts());
    TRY(cudaSetDevice(0));
    TRY(cudaDeviceReset());
    NOTE("contexts", contexts());
  });
  TRY(cudaFree(p));
  NOTE("contexts", contexts());
}

// In the child of a process that has used the runtime.
CASE(rt_fork) {
  void* p;
  PREPARE(cudaMalloc(&p, 64));
  const pid_t child = fork();
  if (child == 0) {
    int n = -7;
    TRY(cudaGetDeviceCount(&n));
    ASK(n);
    TRY(cudaGetDevice(&n));
    TRY(cudaMalloc(&p, 64));
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
    TRY(launch(&empty, 1, 1, 0, nullptr));
    TRY(cudaGetLastError());
    TRY(cudaSetDevice(0));
    TRY(cudaFree(p));
    TRY(cudaDriverGetVersion(&n));
    TRY(cudaDeviceReset());
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  TRY(cudaFree(p));
}

CASE(rt_captures_that_end_elsewhere) {
  static cudaStream_t s;
  static cudaGraph_t g;
  PREPARE(cudaStreamCreate(&s));
  for (int mode : {0, 1, 2}) {
    PREPARE(cudaStreamBeginCapture(s, cudaStreamCaptureMode(mode)));
    elsewhere([] { TRY(cudaStreamEndCapture(s, &g)); });
    cudaStreamCaptureStatus status;
    TRY(cudaStreamIsCapturing(s, &status));
    ASK(int(status));
    TRY(cudaStreamEndCapture(s, &g));
  }
  for (int mode : {0, 1, 2}) {
    ASK(cuStreamBeginCapture(s, CUstreamCaptureMode(mode)));
    elsewhere([] { ASK(cuStreamEndCapture(s, &g)); });
    CUstreamCaptureStatus status;
    ASK(cuStreamIsCapturing(s, &status));
    ASK(int(status));
    ASK(cuStreamEndCapture(s, &g));
  }
  // Destroyed while it is captured.
  PREPARE(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  TRY(cudaStreamDestroy(s));
  NOTE("contexts", contexts());
}

CASE(rt_launches_at_their_limits) {
  for (size_t shared : {size_t{0}, size_t{1} << 32, (size_t{1} << 32) + 64, size_t{1} << 40})
    answer_last(("shared bytes " + std::to_string(shared)).c_str(),
                launch(&empty, 1, 1, shared, nullptr));
  for (dim3 grid : {dim3{0x7fffffff, 1, 1}, dim3{0x80000000, 1, 1}, dim3{1, 65535, 1},
                    dim3{1, 65536, 1}, dim3{1, 1, 65536}, dim3{0, 1, 1}, dim3{1, 0, 1}})
    for (dim3 block :
         {dim3{1, 1, 1}, dim3{1025, 1, 1}, dim3{0, 1, 1}, dim3{32, 33, 1}, dim3{1, 1, 65}}) {
      if (grid.x > 65535 && block.x == 1 && block.z == 1 && grid.x < 0x80000000) continue;
      answer_last((std::to_string(grid.x) + "," + std::to_string(grid.y) + "," +
                   std::to_string(grid.z) + " of " + std::to_string(block.x) + "," +
                   std::to_string(block.y) + "," + std::to_string(block.z))
                      .c_str(),
                  launch(&empty, grid, block, 0, nullptr));
    }
  TRY(launch(&bounded, 1, 65, 0, nullptr));
  TRY(launch(&bounded, 1, dim3{8, 8, 2}, 0, nullptr));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttribute(99), 1));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  cudaFuncAttributes a;
  TRY(cudaFuncGetAttributes(&a, &dynamic_shared));
  ASK(a.maxDynamicSharedSizeBytes);
  ASK(a.preferredShmemCarveout);
  TRY(cudaFuncGetAttributes(&a, &fixed_shared));
  ASK(a.sharedSizeBytes);
  ASK(a.maxDynamicSharedSizeBytes);
  ASK(a.maxThreadsPerBlock);
  ASK(a.constSizeBytes);
  ASK(a.localSizeBytes);
  ASK(a.ptxVersion);
  TRY(cudaDeviceSynchronize());
}

CASE(rt_graphs_of_memory) {
  cudaGraph_t g;
  cudaGraphNode_t node;
  cudaGraphExec_t x, y;
  PREPARE(cudaGraphCreate(&g, 0));
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = 64;
  PREPARE(cudaGraphAddMemAllocNode(&node, g, nullptr, 0, &p));
  TRY(cudaGraphInstantiate(&x, g, 0));
  TRY(cudaGraphInstantiate(&y, g, 0));
  ASK(cuGraphInstantiateWithFlags(&y, g, 0));
  TRY(cudaGraphLaunch(x, nullptr));
  TRY(cudaGraphLaunch(x, nullptr));
  TRY(cudaGraphExecDestroy(x));
  TRY(cudaGraphInstantiate(&y, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  cudaGraph_t copy;
  TRY(cudaGraphClone(&copy, g));
  TRY(cudaGraphDestroy(g));
}

CASE(rt_graphs_with_flags) {
  cudaGraph_t g;
  cudaGraphNode_t node;
  cudaGraphExec_t x;
  PREPARE(cudaGraphCreate(&g, 0));
  for (int nodes : {0, 1}) {
    for (unsigned flags : {1u, 2u, 4u, 8u, 9u, 12u}) {
      answer_last((std::to_string(nodes) + " nodes, flags " + std::to_string(flags)).c_str(),
                  cudaGraphInstantiate(&x, g, flags));
      answer(
          (std::to_string(nodes) + " nodes, the driver's flags " + std::to_string(flags)).c_str(),
          cuGraphInstantiateWithFlags(&x, g, flags));
      if (flags == 8) {
        unsigned long long had = 99;
        cuuint64_t driver = 99;
        TRY(cudaGraphExecGetFlags(x, &had));
        ASK(had);
        ASK(cuGraphExecGetFlags(x, &driver));
        ASK(driver);
      }
    }
    cudaKernelNodeParams k = {};
    k.func = &empty;
    k.gridDim = k.blockDim = dim3(1, 1, 1);
    static void* none[] = {nullptr};
    k.kernelParams = none;
    PREPARE(cudaGraphAddKernelNode(&node, g, nullptr, 0, &k));
  }
}

CASE(rt_array_offsets_in_bytes) {
  cudaArray_t a;
  const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  PREPARE(cudaMallocArray(&a, &words, 8, 2, 0));
  memset(host, 0x11, sizeof host);
  PREPARE(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 2, cudaMemcpyHostToDevice));
  memset(host, 0x22, sizeof host);
  for (size_t offset : {1, 2, 3, 4})
    for (size_t width : {1, 2, 4, 6}) {
      answer_last(("offset " + std::to_string(offset) + ", width " + std::to_string(width)).c_str(),
                  cudaMemcpy2DToArray(a, offset, 0, host, 32, width, 1, cudaMemcpyHostToDevice));
    }
  memset(host, 0, sizeof host);
  TRY(cudaMemcpy2DFromArray(host, 32, a, 0, 0, 32, 2, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[1]);
  ASK(host[2]);
  ASK(host[3]);
  ASK(host[8]);
}

CASE(rt_stream_attributes) {
  cudaStream_t s;
  PREPARE(cudaStreamCreate(&s));
  for (int which = 0; which <= 16; ++which) {
    cudaLaunchAttributeValue value;
    memset(&value, 0x77, sizeof value);
    answer_last(("get " + std::to_string(which)).c_str(),
                cudaStreamGetAttribute(s, cudaLaunchAttributeID(which), &value));
    NOTE("value", std::to_string(*reinterpret_cast<int*>(&value)));
    CUlaunchAttributeValue had;
    answer(("driver's " + std::to_string(which)).c_str(),
           cuStreamGetAttribute(s, CUlaunchAttributeID(which), &had));
    memset(&value, 0, sizeof value);
    answer_last(("set " + std::to_string(which)).c_str(),
                cudaStreamSetAttribute(s, cudaLaunchAttributeID(which), &value));
  }
}

CASE(rt_policy_of_a_stream) {
  cudaStream_t s, other;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaStreamCreate(&other));
  cudaLaunchAttributeValue value;
  for (int policy : {0, 1, 2, 3, 4, 5}) {
    TRY(cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
    ASK(int(value.syncPolicy));
    value.syncPolicy = cudaSynchronizationPolicy(policy);
    answer_last(("policy " + std::to_string(policy)).c_str(),
                cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
  }
  TRY(cudaStreamCopyAttributes(other, s));
  TRY(cudaStreamGetAttribute(other, cudaLaunchAttributeSynchronizationPolicy, &value));
  ASK(int(value.syncPolicy));
  for (int priority : {0, -1, -5, -6, 1}) {
    value.priority = priority;
    answer_last(("priority " + std::to_string(priority)).c_str(),
                cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &value));
    TRY(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &value));
    ASK(value.priority);
    int had = 7;
    TRY(cudaStreamGetPriority(s, &had));
    ASK(had);
  }
  TRY(cudaStreamCopyAttributes(other, s));
  TRY(cudaStreamGetAttribute(other, cudaLaunchAttributePriority, &value));
  ASK(value.priority);
  value.memSyncDomainMap.default_ = 3;
  value.memSyncDomainMap.remote = 2;
  TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &value));
  TRY(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &value));
  ASK(int(value.memSyncDomainMap.default_));
  ASK(int(value.memSyncDomainMap.remote));
  value.memSyncDomainMap.default_ = 4;
  TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomainMap, &value));
  for (int domain : {0, 1, 2, -1}) {
    value.memSyncDomain = cudaLaunchMemSyncDomain(domain);
    answer_last(("domain " + std::to_string(domain)).c_str(),
                cudaStreamSetAttribute(s, cudaLaunchAttributeMemSyncDomain, &value));
    TRY(cudaStreamGetAttribute(s, cudaLaunchAttributeMemSyncDomain, &value));
    ASK(int(value.memSyncDomain));
  }
  void* p;
  PREPARE(cudaMalloc(&p, 4096));
  memset(&value, 0, sizeof value);
  value.accessPolicyWindow.base_ptr = p;
  value.accessPolicyWindow.num_bytes = 4096;
  value.accessPolicyWindow.hitRatio = 0.5;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
  TRY(cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
  ASK(value.accessPolicyWindow.base_ptr == p);
  ASK(value.accessPolicyWindow.num_bytes);
  ASK(int(value.accessPolicyWindow.hitProp));
  value.accessPolicyWindow.hitRatio = 2;
  TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
  value.accessPolicyWindow.hitRatio = 0.5;
  value.accessPolicyWindow.num_bytes = size_t(1) << 40;
  TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
  value.accessPolicyWindow.num_bytes = 4096;
  value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
  TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &value));
}

// What the log of errors says: its form, and that refused calls are in it.
CASE(rt_log_of_errors) {
  cudaLogIterator at = 0;
  static char text[4096];
  size_t size = sizeof text;
  PREPARE(cudaFree(nullptr));
  static int called;
  cudaLogsCallbackHandle handle;
  TRY(cudaLogsRegisterCallback([](void*, cudaLogLevel, char*, size_t) { ++called; }, nullptr,
                               &handle));
  TRY(cudaMemcpy(host, nullptr, 4, cudaMemcpyDeviceToHost));
  ASK(cuMemFree(77));
  ASK(cuStreamSynchronize(reinterpret_cast<CUstream>(host)));
  TRY(cudaLogsDumpToMemory(&at, text, &size, 0));
  ASK(strlen(text) == size);
  // Each refused call has a line; others may say why.
  for (const char* line : {"Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemcpyDtoH_v2\n",
                           "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree_v2\n",
                           "Returning 400 (CUDA_ERROR_INVALID_HANDLE) from cuStreamSynchronize\n"})
    answer(std::string(line, strlen(line) - 1).c_str(), strstr(text, line) != nullptr);
  ASK(called >= 3);
  size = sizeof text;
  TRY(cudaLogsDumpToMemory(&at, text, &size, 0));
  ASK(size);
  size = 10;
  at = 0;
  TRY(cudaLogsDumpToMemory(&at, text, &size, 0));
  ASK(size);
  TRY(cudaLogsUnregisterCallback(handle));
}

CASE(rt_exported_tables_of_the_driver) {
  PREPARE(cuInit(0));
  const void* table = &table;
  CUuuid id;
  memset(&id, 5, sizeof id);
  ASK(cuGetExportTable(&table, &id));
  ASK(table == nullptr);
  ASK(cuGetExportTable(&table, nullptr));
  ASK(cuGetExportTable(nullptr, &id));
}

CASE(rt_peek_and_get) {
  void* p = &p;
  ASK(cudaPeekAtLastError());
  ASK(cudaMalloc(&p, size_t(1) << 50));
  ASK(p == &p);
  ASK(cudaPeekAtLastError());
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
  ASK(cudaMalloc(&p, 0));
  ASK(p == nullptr);
  ASK(cudaMallocHost(&p, size_t(1) << 50));
  NOTE("unknown error's name", cudaGetErrorName(cudaError_t(12345)));
  NOTE("unknown error's text", cudaGetErrorString(cudaError_t(12345)));
  NOTE("negative error's name", cudaGetErrorName(cudaError_t(-1)));
}

CASE(rt_pointers_of_every_kind) {
  struct {
    const char* name;
    void* at;
  } kinds[6] = {};
  kinds[0].name = "device", kinds[1].name = "pinned", kinds[2].name = "managed";
  kinds[3].name = "registered", kinds[4].name = "async", kinds[5].name = "mapped";
  PREPARE(cudaMalloc(&kinds[0].at, 4096));
  PREPARE(cudaMallocHost(&kinds[1].at, 4096));
  PREPARE(cudaMallocManaged(&kinds[2].at, 4096, cudaMemAttachGlobal));
  kinds[3].at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TRY(cudaHostRegister(kinds[3].at, 4096, cudaHostRegisterDefault));
  PREPARE(cudaMallocAsync(&kinds[4].at, 4096, nullptr));
  PREPARE(cudaHostAlloc(&kinds[5].at, 4096, cudaHostAllocMapped));
  for (const auto& kind : kinds)
    for (size_t offset : {size_t{0}, size_t{100}, size_t{4095}}) {
      cudaPointerAttributes a = {};
      answer_last((std::string(kind.name) + "+" + std::to_string(offset)).c_str(),
                  cudaPointerGetAttributes(&a, static_cast<char*>(kind.at) + offset));
      ASK(int(a.type));
      ASK(a.device);
      ASK(a.devicePointer == static_cast<char*>(kind.at) + offset);
      ASK(a.hostPointer == static_cast<char*>(kind.at) + offset);
    }
  for (const auto& to : kinds)
    for (const auto& from : kinds) {
      answer_last((std::string(to.name) + " from " + from.name + ", default").c_str(),
                  cudaMemcpy(to.at, from.at, 4096, cudaMemcpyDefault));
      answer_last((std::string(to.name) + " from " + from.name + ", past the end").c_str(),
                  cudaMemcpy(to.at, from.at, 64 << 20, cudaMemcpyDefault));
    }
  TRY(cudaFree(kinds[1].at));
  TRY(cudaFreeHost(kinds[0].at));
  TRY(cudaFreeAsync(kinds[0].at, nullptr));
  TRY(cudaFree(kinds[4].at));
  TRY(cudaFree(kinds[2].at));
  TRY(cudaHostUnregister(kinds[3].at));
  TRY(cudaHostUnregister(kinds[5].at));
}

CASE(rt_symbols) {
  size_t size = 99;
  void* p = nullptr;
  TRY(cudaGetSymbolSize(&size, numbers));
  ASK(size);
  TRY(cudaGetSymbolSize(&size, table));
  ASK(size);
  TRY(cudaGetSymbolSize(&size, unregistered_variable));
  TRY(cudaGetSymbolSize(&size, missing_variable));
  TRY(cudaGetSymbolSize(&size, nullptr));
  TRY(cudaGetSymbolAddress(&p, numbers + 4));
  TRY(cudaMemcpyToSymbol(numbers, host, 16, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(numbers, host, 16, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(numbers, host, 0, 99, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(numbers, host, 4, size_t(-2), cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(numbers, host, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyToSymbol(numbers, host, 4, 0, cudaMemcpyDefault));
  TRY(cudaMemcpyToSymbol(numbers, nullptr, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(table, host, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyFromSymbol(host, table, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, table, 4, 30, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyFromSymbolAsync(host, numbers, 4, 0, cudaMemcpyDeviceToHost, nullptr));
  TRY(cudaMemcpyToSymbolAsync(numbers, host, 4, 12, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaMemcpyToSymbolAsync(numbers, host, 4, 13, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaDeviceSynchronize());
}

int main(int count, char** names) { return run(count, names); }
