// SPDX-License-Identifier: Apache-2.0
// Devices: their selection, properties, limits and settings, what a reset ends, handles of other
// processes and external objects that are refused.
#include "runtime.hpp"

using namespace conformance;

CASE(rt_selection) {
  int n = -7;
  TRY(cudaGetDevice(&n));
  ASK(n);
  for (int device : {1, 2, 99, -1, -2}) {
    answer_last(("cudaSetDevice " + std::to_string(device)).c_str(), cudaSetDevice(device));
    TRY(cudaGetDevice(&n));
    ASK(n);
    answer_last(("cudaInitDevice " + std::to_string(device)).c_str(), cudaInitDevice(device, 0, 0));
    answer_last("attribute", cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, device));
    cudaDeviceProp properties;
    answer_last("properties", cudaGetDeviceProperties(&properties, device));
    char id[32];
    answer_last("bus id", cudaDeviceGetPCIBusId(id, 32, device));
    answer_last("can access from", cudaDeviceCanAccessPeer(&n, device, 0));
    answer_last("can access to", cudaDeviceCanAccessPeer(&n, 0, device));
    answer_last("enable", cudaDeviceEnablePeerAccess(device, 0));
    answer_last("disable", cudaDeviceDisablePeerAccess(device));
    answer_last("p2p", cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, device));
  }
  TRY(cudaSetDevice(0));
  for (unsigned flags : {0u, 1u, 2u}) {
    answer_last(("cudaInitDevice with flags " + std::to_string(flags)).c_str(),
                cudaInitDevice(0, cudaDeviceScheduleYield, flags));
  }
  TRY(cudaInitDevice(0, 0x1000, 1));
  int order[] = {0, 0, 9};
  TRY(cudaSetValidDevices(order, 1));
  TRY(cudaSetValidDevices(order, 2));
  TRY(cudaSetValidDevices(order, 3));
  TRY(cudaSetValidDevices(order + 2, 1));
  TRY(cudaSetValidDevices(nullptr, 0));
  TRY(cudaSetValidDevices(nullptr, 1));
  TRY(cudaDeviceCanAccessPeer(&n, 0, 0));
  ASK(n);
  TRY(cudaDeviceEnablePeerAccess(0, 0));
  TRY(cudaDeviceEnablePeerAccess(0, 1));
  TRY(cudaDeviceDisablePeerAccess(0));
  TRY(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0));
  TRY(cudaDeviceGetP2PAttribute(&n, cudaDeviceP2PAttr(99), 0, 0));
  cudaDeviceProp wanted = {};
  n = -7;
  TRY(cudaChooseDevice(&n, &wanted));
  ASK(n);
  wanted.major = 99;
  TRY(cudaChooseDevice(&n, &wanted));
  ASK(n);
  char id[32] = {}, again[32] = {};
  TRY(cudaDeviceGetPCIBusId(id, 32, 0));
  ASK(strlen(id));
  TRY(cudaDeviceGetByPCIBusId(&n, id));
  ASK(n);
  TRY(cudaDeviceGetByPCIBusId(&n, "nonsense"));
  TRY(cudaDeviceGetByPCIBusId(&n, nullptr));
  TRY(cudaDeviceGetByPCIBusId(nullptr, id));
  TRY(cudaDeviceGetPCIBusId(again, 5, 0));
  TRY(cudaDeviceGetPCIBusId(again, 12, 0));
  TRY(cudaDeviceGetPCIBusId(again, 13, 0));
  TRY(cudaDeviceGetPCIBusId(again, 0, 0));
  TRY(cudaDeviceGetPCIBusId(nullptr, 32, 0));
}

#define FIELD(name) NOTE(#name, std::to_string(p.name))
CASE(rt_properties) {
  cudaDeviceProp p;
  TRY(cudaGetDeviceProperties(nullptr, 0));
  memset(&p, 0x55, sizeof p);
  TRY(cudaGetDeviceProperties(&p, 0));
  NOTE("name", p.name);
  FIELD(sharedMemPerBlock);
  FIELD(regsPerBlock);
  FIELD(warpSize);
  FIELD(memPitch);
  FIELD(maxThreadsPerBlock);
  FIELD(maxThreadsDim[0]);
  FIELD(maxThreadsDim[1]);
  FIELD(maxThreadsDim[2]);
  FIELD(maxGridSize[0]);
  FIELD(maxGridSize[1]);
  FIELD(maxGridSize[2]);
  FIELD(totalConstMem);
  FIELD(major);
  FIELD(minor);
  FIELD(textureAlignment);
  FIELD(texturePitchAlignment);
  FIELD(multiProcessorCount);
  FIELD(integrated);
  FIELD(canMapHostMemory);
  FIELD(maxTexture1D);
  FIELD(maxTexture1DMipmap);
  FIELD(maxTexture2D[0]);
  FIELD(maxTexture2D[1]);
  FIELD(maxTexture2DMipmap[0]);
  FIELD(maxTexture2DMipmap[1]);
  FIELD(maxTexture2DLinear[0]);
  FIELD(maxTexture2DLinear[1]);
  FIELD(maxTexture2DLinear[2]);
  FIELD(maxTexture2DGather[0]);
  FIELD(maxTexture2DGather[1]);
  FIELD(maxTexture3D[0]);
  FIELD(maxTexture3D[1]);
  FIELD(maxTexture3D[2]);
  FIELD(maxTexture3DAlt[0]);
  FIELD(maxTexture3DAlt[1]);
  FIELD(maxTexture3DAlt[2]);
  FIELD(maxTextureCubemap);
  FIELD(maxTexture1DLayered[0]);
  FIELD(maxTexture1DLayered[1]);
  FIELD(maxTexture2DLayered[0]);
  FIELD(maxTexture2DLayered[2]);
  FIELD(maxTextureCubemapLayered[0]);
  FIELD(maxTextureCubemapLayered[1]);
  FIELD(maxSurface1D);
  FIELD(maxSurface2D[0]);
  FIELD(maxSurface3D[0]);
  FIELD(maxSurface1DLayered[0]);
  FIELD(maxSurface1DLayered[1]);
  FIELD(maxSurface2DLayered[0]);
  FIELD(maxSurface2DLayered[2]);
  FIELD(maxSurfaceCubemap);
  FIELD(maxSurfaceCubemapLayered[0]);
  FIELD(maxSurfaceCubemapLayered[1]);
  FIELD(surfaceAlignment);
  FIELD(concurrentKernels);
  FIELD(tccDriver);
  FIELD(asyncEngineCount);
  FIELD(unifiedAddressing);
  FIELD(memoryBusWidth);
  FIELD(l2CacheSize);
  FIELD(persistingL2CacheMaxSize);
  FIELD(maxThreadsPerMultiProcessor);
  FIELD(streamPrioritiesSupported);
  FIELD(globalL1CacheSupported);
  FIELD(localL1CacheSupported);
  FIELD(sharedMemPerMultiprocessor);
  FIELD(regsPerMultiprocessor);
  FIELD(managedMemory);
  FIELD(hostNativeAtomicSupported);
  FIELD(concurrentManagedAccess);
  FIELD(computePreemptionSupported);
  FIELD(canUseHostPointerForRegisteredMem);
  FIELD(cooperativeLaunch);
  FIELD(sharedMemPerBlockOptin);
  FIELD(directManagedMemAccessFromHost);
  FIELD(maxBlocksPerMultiProcessor);
  FIELD(accessPolicyMaxWindowSize);
  FIELD(reservedSharedMemPerBlock);
  FIELD(hostRegisterSupported);
  FIELD(sparseCudaArraySupported);
  FIELD(hostRegisterReadOnlySupported);
  FIELD(timelineSemaphoreInteropSupported);
  FIELD(memoryPoolsSupported);
  FIELD(memoryPoolSupportedHandleTypes);
  FIELD(deferredMappingCudaArraySupported);
  FIELD(ipcEventSupported);
  FIELD(clusterLaunch);
  FIELD(unifiedFunctionPointers);
  int n;
  TRY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  for (int which : {0, -1, 147, 148, 149, 150, 9999})
    answer_last(("attribute " + std::to_string(which)).c_str(),
                cudaDeviceGetAttribute(&n, cudaDeviceAttr(which), 0));
  TRY(cudaRuntimeGetVersion(nullptr));
  TRY(cudaDriverGetVersion(nullptr));
}

CASE(rt_limits) {
  size_t value = 0;
  for (int which = -1; which <= 7; ++which) {
    value = 0;
    answer_last(("cudaDeviceGetLimit " + std::to_string(which)).c_str(),
                cudaDeviceGetLimit(&value, cudaLimit(which)));
    ASK(value);
    for (size_t wanted : {size_t{0}, size_t{64}, size_t{4096}, size_t{1} << 23, size_t(-1)}) {
      // A heap or a stack of any size that is taken is made at once.
      if (wanted > (1 << 24) && which != 3) continue;
      answer_last(
          ("cudaDeviceSetLimit " + std::to_string(which) + " to " + std::to_string(wanted)).c_str(),
          cudaDeviceSetLimit(cudaLimit(which), wanted));
      cudaDeviceGetLimit(&value, cudaLimit(which));
      cudaGetLastError();
      ASK(value);
    }
  }
  TRY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
  cudaFuncCache cache;
  for (int wanted : {0, 1, 2, 3, 4, -1}) {
    answer_last(("cache config " + std::to_string(wanted)).c_str(),
                cudaDeviceSetCacheConfig(cudaFuncCache(wanted)));
    TRY(cudaDeviceGetCacheConfig(&cache));
    ASK(int(cache));
  }
  cudaSharedMemConfig bank;
  for (int wanted : {0, 1, 2, 3, -1}) {
    answer_last(("bank size " + std::to_string(wanted)).c_str(),
                cudaDeviceSetSharedMemConfig(cudaSharedMemConfig(wanted)));
    TRY(cudaDeviceGetSharedMemConfig(&bank));
    ASK(int(bank));
  }
  TRY(cudaCtxResetPersistingL2Cache());
  TRY(cudaProfilerStart());
  TRY(cudaProfilerStop());
  TRY(cudaProfilerStop());
}

CASE(rt_reset) {
  void *d, *pinned, *symbol, *after;
  unsigned value = 0;
  PREPARE(cudaMalloc(&d, 64));
  PREPARE(cudaMallocHost(&pinned, 64));
  PREPARE(cudaGetSymbolAddress(&symbol, numbers));
  PREPARE(launch(&bump_numbers, 1, 1, 0, nullptr));
  PREPARE(cudaMemcpyFromSymbol(&value, numbers, 4, 0, cudaMemcpyDeviceToHost));
  ASK(value);
  PREPARE(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  cudaMalloc(nullptr, 4);
  TRY(cudaDeviceReset());
  NOTE("contexts", contexts());
  ASK(cudaGetLastError());
  int device = -7;
  TRY(cudaGetDevice(&device));
  ASK(device);
  TRY(cudaFree(d));
  NOTE("contexts after cudaFree", contexts());
  TRY(cudaFreeHost(pinned));
  cudaPointerAttributes a;
  TRY(cudaPointerGetAttributes(&a, d));
  ASK(int(a.type));
  TRY(cudaMemcpyFromSymbol(&value, numbers, 4, 0, cudaMemcpyDeviceToHost));
  ASK(value);
  TRY(cudaGetSymbolAddress(&after, numbers));
  size_t limit;
  TRY(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  ASK(limit);
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_reset_keeps_flags_and_error) {
  unsigned flags;
  PREPARE(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  PREPARE(cudaFree(nullptr));
  cudaSetDevice(99);
  ASK(cudaDeviceReset());
  ASK(cudaPeekAtLastError());
  ASK(cudaGetDeviceFlags(&flags));
  ASK(flags);
  ASK(cudaGetLastError());
  ASK(cudaDeviceReset());
  ASK(cudaDeviceReset());
}

CASE(rt_reset_event) {
  cudaEvent_t e;
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaDeviceReset());
  TRY(cudaEventQuery(e));
}

CASE(rt_handles_of_other_processes) {
  cudaIpcMemHandle_t memory = {};
  cudaIpcEventHandle_t event = {};
  cudaEvent_t e, shared;
  void *d, *pinned, *managed, *async;
  PREPARE(cudaMalloc(&d, 64));
  PREPARE(cudaMallocHost(&pinned, 64));
  PREPARE(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
  PREPARE(cudaMallocAsync(&async, 64, nullptr));
  TRY(cudaIpcGetMemHandle(&memory, pinned));
  TRY(cudaIpcGetMemHandle(&memory, managed));
  TRY(cudaIpcGetMemHandle(&memory, async));
  TRY(cudaIpcGetMemHandle(&memory, &memory));
  TRY(cudaIpcGetMemHandle(&memory, nullptr));
  TRY(cudaIpcOpenMemHandle(&d, memory, cudaIpcMemLazyEnablePeerAccess));
  TRY(cudaIpcOpenMemHandle(&d, memory, 0));
  TRY(cudaIpcOpenEventHandle(&e, event));
  TRY(cudaIpcCloseMemHandle(d));
  TRY(cudaIpcCloseMemHandle(nullptr));
  PREPARE(cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming));
  PREPARE(cudaEventCreate(&e));
  TRY(cudaIpcGetEventHandle(&event, e));
}

CASE(rt_external_objects) {
  cudaExternalMemory_t memory;
  cudaExternalSemaphore_t semaphore;
  cudaExternalMemoryHandleDesc m = {};
  cudaExternalSemaphoreHandleDesc s = {};
  TRY(cudaImportExternalMemory(&memory, &m));
  m.size = 64;
  for (int type = 1; type <= 9; ++type) {
    m.type = cudaExternalMemoryHandleType(type);
    m.handle = {};
    m.handle.fd = -1;
    answer_last(("memory " + std::to_string(type)).c_str(), cudaImportExternalMemory(&memory, &m));
  }
  for (int type = 0; type <= 11; ++type) {
    s.type = cudaExternalSemaphoreHandleType(type);
    s.handle = {};
    s.handle.fd = -1;
    answer_last(("semaphore " + std::to_string(type)).c_str(),
                cudaImportExternalSemaphore(&semaphore, &s));
  }
  TRY(cudaDestroyExternalMemory(nullptr));
  TRY(cudaDestroyExternalSemaphore(nullptr));
}

int main(int count, char **names) { return run(count, names); }
