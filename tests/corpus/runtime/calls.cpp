// SPDX-License-Identifier: Apache-2.0
// The runtime functions that the corpus' programs, CUB and Thrust call: each is one call of the
// driver.
#include <cuda_runtime_api.h>

#include <cstring>

#include "programs.hpp"

using namespace corpus;

namespace {

CUdeviceptr device(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

template <typename F>
cudaError_t with_function(const void* host, const F& use) {
  CUfunction function = nullptr;
  const CUresult result = function_of(host, &function);
  return keep(result == CUDA_SUCCESS ? use(function) : result);
}

template <typename F>
cudaError_t with_variable(const void* host, const F& use) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const CUresult result = variable_of(host, &address, &bytes);
  return keep(result == CUDA_SUCCESS ? use(address, bytes) : result);
}

}  // namespace

extern "C" {

// --- Errors ---

const char* cudaGetErrorName(cudaError_t error) {
  // The runtime's names are not the driver's; those that programs print are here.
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorMisalignedAddress:
      return "cudaErrorMisalignedAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorAssert:
      return "cudaErrorAssert";
    case cudaErrorIllegalInstruction:
      return "cudaErrorIllegalInstruction";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorNotSupported:
      return "cudaErrorNotSupported";
    default:
      break;
  }
  const char* name = nullptr;
  return cuGetErrorName(static_cast<CUresult>(error), &name) == CUDA_SUCCESS
             ? name
             : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const char* text = nullptr;
  return cuGetErrorString(static_cast<CUresult>(error), &text) == CUDA_SUCCESS
             ? text
             : "unrecognized error code";
}

// --- Devices ---

cudaError_t cudaGetDeviceCount(int* count) { FORWARD(cuDeviceGetCount(count)); }
cudaError_t cudaGetDevice(int* device) { FORWARD(cuCtxGetDevice(device)); }
cudaError_t cudaSetDevice(int device) {
  FORWARD(device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  FORWARD(cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device));
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  const auto attribute = [device](CUdevice_attribute which) {
    int value = 0;
    cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  const CUresult up = ready();
  if (up != CUDA_SUCCESS) return keep(up);
  properties->major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  properties->minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  properties->warpSize = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties->multiProcessorCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties->maxThreadsPerMultiProcessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  properties->sharedMemPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties->sharedMemPerBlockOptin =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties->cooperativeLaunch = attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  FORWARD(cuDeviceGetName(properties->name, sizeof properties->name, device));
}
cudaError_t cudaDeviceSynchronize() { FORWARD(cuCtxSynchronize()); }
cudaError_t cudaDeviceReset() { FORWARD(cuDevicePrimaryCtxReset(0)); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  FORWARD(cuCtxSetLimit(static_cast<CUlimit>(limit), value));
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  FORWARD(cuCtxGetLimit(value, static_cast<CUlimit>(limit)));
}
cudaError_t cudaDriverGetVersion(int* version) { FORWARD(cuDriverGetVersion(version)); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  FORWARD(cuCtxGetStreamPriorityRange(least, greatest));
}

// --- Memory ---

cudaError_t cudaMalloc(void** address, size_t bytes) {
  if (bytes == 0) return *address = nullptr, cudaSuccess;
  FORWARD(cuMemAlloc(reinterpret_cast<CUdeviceptr*>(address), bytes));
}
cudaError_t cudaFree(void* address) {
  FORWARD(address ? cuMemFree(device(address)) : CUDA_SUCCESS);
}
cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream) {
  FORWARD(cuMemAllocAsync(reinterpret_cast<CUdeviceptr*>(address), bytes, stream));
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  FORWARD(cuMemFreeAsync(device(address), stream));
}
cudaError_t cudaMallocManaged(void** address, size_t bytes, unsigned flags) {
  FORWARD(cuMemAllocManaged(reinterpret_cast<CUdeviceptr*>(address), bytes, flags));
}
cudaError_t cudaMallocHost(void** address, size_t bytes) {
  FORWARD(cuMemHostAlloc(address, bytes, 0));
}
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags) {
  FORWARD(cuMemHostAlloc(address, bytes, flags));
}
cudaError_t cudaHostGetDevicePointer(void** address, void* host, unsigned flags) {
  FORWARD(cuMemHostGetDevicePointer(reinterpret_cast<CUdeviceptr*>(address), host, flags));
}
cudaError_t cudaFreeHost(void* address) { FORWARD(cuMemFreeHost(address)); }
cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  FORWARD(cuMemAllocPitch(reinterpret_cast<CUdeviceptr*>(address), pitch, width, height, 16));
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  FORWARD(cuMemcpy(device(to), device(from), bytes));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  FORWARD(cuMemcpyAsync(device(to), device(from), bytes, stream));
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  FORWARD(cuMemsetD8(device(to), static_cast<unsigned char>(value), bytes));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  FORWARD(cuMemsetD8Async(device(to), static_cast<unsigned char>(value), bytes, stream));
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  FORWARD(cuMemsetD2D8(device(to), pitch, static_cast<unsigned char>(value), width, height));
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = device(from), copy.srcPitch = from_pitch;
  copy.dstDevice = device(to), copy.dstPitch = to_pitch;
  copy.WidthInBytes = width, copy.Height = height;
  FORWARD(cuMemcpy2DUnaligned(&copy));
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind) {
  return with_variable(
      symbol, [&](CUdeviceptr to, size_t) { return cuMemcpy(to + offset, device(from), bytes); });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind) {
  return with_variable(
      symbol, [&](CUdeviceptr from, size_t) { return cuMemcpy(device(to), from + offset, bytes); });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return with_variable(symbol, [&](CUdeviceptr to, size_t) {
    return cuMemcpyAsync(to + offset, device(from), bytes, stream);
  });
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return with_variable(symbol, [&](CUdeviceptr found, size_t) {
    *address = reinterpret_cast<void*>(found);
    return CUDA_SUCCESS;
  });
}
cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return with_variable(symbol, [&](CUdeviceptr, size_t bytes) {
    *size = bytes;
    return CUDA_SUCCESS;
  });
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) { FORWARD(cuMemGetInfo(free, total)); }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  *attributes = {};
  unsigned type = 0;
  const CUresult up = ready();
  if (up != CUDA_SUCCESS) return keep(up);
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device(address)) !=
      CUDA_SUCCESS)
    type = 0;
  attributes->type = type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                     : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                  : cudaMemoryTypeUnregistered;
  attributes->devicePointer = attributes->hostPointer = const_cast<void*>(address);
  return cudaSuccess;
}

// --- Kernels ---

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* host) {
  *attributes = {};
  return with_function(host, [&](CUfunction function) {
    const auto one = [function](CUfunction_attribute which) {
      int value = 0;
      cuFuncGetAttribute(&value, which, function);
      return value;
    };
    attributes->maxThreadsPerBlock = one(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attributes->sharedSizeBytes = static_cast<size_t>(one(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    attributes->constSizeBytes = static_cast<size_t>(one(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    attributes->localSizeBytes = static_cast<size_t>(one(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    attributes->numRegs = one(CU_FUNC_ATTRIBUTE_NUM_REGS);
    attributes->ptxVersion = one(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    attributes->binaryVersion = one(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    attributes->maxDynamicSharedSizeBytes = one(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    return CUDA_SUCCESS;
  });
}
cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute attribute, int value) {
  return with_function(host, [&](CUfunction function) {
    return cuFuncSetAttribute(function, static_cast<CUfunction_attribute>(attribute), value);
  });
}
cudaError_t cudaFuncSetCacheConfig(const void* host, cudaFuncCache config) {
  return with_function(host, [&](CUfunction function) {
    return cuFuncSetCacheConfig(function, static_cast<CUfunc_cache>(config));
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host,
                                                          int threads, size_t shared) {
  return with_function(host, [&](CUfunction function) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
  return with_function(host, [&](CUfunction function) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                flags);
  });
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* host, int blocks,
                                                      int threads) {
  return with_function(host, [&](CUfunction function) {
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads);
  });
}

// --- Streams and events ---

cudaError_t cudaStreamCreate(cudaStream_t* stream) { FORWARD(cuStreamCreate(stream, 0)); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  FORWARD(cuStreamCreate(stream, flags));
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  FORWARD(cuStreamCreateWithPriority(stream, flags, priority));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { FORWARD(cuStreamDestroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { FORWARD(cuStreamSynchronize(stream)); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { FORWARD(cuStreamQuery(stream)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  FORWARD(cuStreamWaitEvent(stream, event, flags));
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  FORWARD(cuStreamIsCapturing(stream, reinterpret_cast<CUstreamCaptureStatus*>(status)));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  FORWARD(cuLaunchHostFunc(stream, function, data));
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { FORWARD(cuEventCreate(event, 0)); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  FORWARD(cuEventCreate(event, flags));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  FORWARD(cuEventRecord(event, stream));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { FORWARD(cuEventSynchronize(event)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { FORWARD(cuEventQuery(event)); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  FORWARD(cuEventElapsedTime(ms, from, to));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { FORWARD(cuEventDestroy(event)); }

// --- Graphs ---

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  FORWARD(cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  FORWARD(cuStreamEndCapture(stream, graph));
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  FORWARD(cuGraphInstantiate(exec, graph, flags));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  FORWARD(cuGraphLaunch(exec, stream));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { FORWARD(cuGraphExecDestroy(exec)); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { FORWARD(cuGraphDestroy(graph)); }
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  FORWARD(cuGraphCreate(graph, flags));
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  FORWARD(cuGraphGetNodes(graph, nodes, count));
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  CUDA_KERNEL_NODE_PARAMS all{};
  const CUresult result = function_of(parameters->func, &all.func);
  if (result != CUDA_SUCCESS) return keep(result);
  all.gridDimX = parameters->gridDim.x, all.gridDimY = parameters->gridDim.y,
  all.gridDimZ = parameters->gridDim.z;
  all.blockDimX = parameters->blockDim.x, all.blockDimY = parameters->blockDim.y;
  all.blockDimZ = parameters->blockDim.z;
  all.sharedMemBytes = parameters->sharedMemBytes;
  all.kernelParams = parameters->kernelParams;
  FORWARD(cuGraphAddKernelNode(node, graph, before, count, &all));
}
}
