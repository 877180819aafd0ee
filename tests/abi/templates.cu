// SPDX-License-Identifier: Apache-2.0
// What cuda_runtime.h offers to CUDA C++: each template with arguments as in programs. The test is
// whether clang compiles it for the host with only our headers.
#include <cuda_runtime.h>

__device__ int device_value;
__constant__ float constant_values[4];

__global__ void add(int* sum, int number) { *sum += number + device_value; }

static void memory(int** address, size_t* pitch, cudaStream_t stream, cudaMemPool_t pool) {
  cudaMalloc(address, 4);
  cudaMallocPitch(address, pitch, 4, 4);
  cudaMallocManaged(address, 4);
  cudaMallocHost(address, 4);
  cudaMallocHost(address, 4, cudaHostAllocMapped);
  cudaHostAlloc(address, 4, cudaHostAllocDefault);
  cudaHostGetDevicePointer(address, *address, 0);
  cudaMallocAsync(address, 4, stream);
  cudaMallocAsync(address, 4, pool, stream);
  cudaMallocFromPoolAsync(address, 4, pool, stream);
  cudaStreamAttachMemAsync(stream, *address);
}

static void symbols(int* host, cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t* node) {
  void* address;
  size_t size;
  cudaGetSymbolAddress(&address, device_value);
  cudaGetSymbolSize(&size, constant_values);
  cudaMemcpyToSymbol(device_value, host, 4);
  cudaMemcpyToSymbolAsync(constant_values, host, 4, 4, cudaMemcpyHostToDevice, stream);
  cudaMemcpyFromSymbol(host, device_value, 4);
  cudaMemcpyFromSymbolAsync(host, device_value, 4);
  cudaGraphAddMemcpyNodeToSymbol(node, graph, nullptr, 0, device_value, host, 4, 0,
                                 cudaMemcpyHostToDevice);
}

static void kernels(int* sum, cudaStream_t stream, void** args) {
  add<<<1, 2>>>(sum, 3);
  add<<<dim3(1, 1), dim3(2), 64, stream>>>(sum, 3);
  cudaLaunchKernel(add, dim3(1), dim3(1), args);
  cudaLaunchCooperativeKernel(add, dim3(1), dim3(1), args, 0, stream);
  cudaLaunchConfig_t config = {};
  cudaLaunchKernelEx(&config, add, sum, 3L);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, add);
  cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
  cudaFuncSetCacheConfig(add, cudaFuncCachePreferL1);
  const char* name;
  cudaFuncGetName(&name, add);
  cudaKernel_t kernel;
  cudaGetKernel(&kernel, add);
  cudaLaunchKernelEx(&config, kernel, sum, 3);
}

static void occupancy() {
  int blocks, threads;
  size_t bytes;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, add, 128, 0, 0);
  cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 1, 128);
  cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add);
  cudaOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, add, 0, 256, 0);
  cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, add,
                                                 [](int size) { return size_t(4) * size; });
  cudaLaunchConfig_t config = {};
  cudaOccupancyMaxPotentialClusterSize(&blocks, add, &config);
  cudaOccupancyMaxActiveClusters(&blocks, add, &config);
}

static void the_rest(cudaEvent_t* event, cudaGraphExec_t* graph_exec, cudaGraph_t graph) {
  cudaEventCreate(event);
  cudaEventCreate(event, cudaEventDisableTiming);
  cudaGraphNode_t node;
  cudaGraphExecUpdateResult result;
  cudaGraphInstantiate(graph_exec, graph);
  cudaGraphInstantiate(graph_exec, graph, nullptr, nullptr, 0);
  cudaGraphExecUpdate(*graph_exec, graph, &node, &result);
  cudaUserObject_t object;
  cudaUserObjectCreate(&object, new int, 1, cudaUserObjectNoDestructorSync);
  static_assert(sizeof(make_float4(1, 2, 3, 4)) == 16, "four floats");
  const cudaChannelFormatDesc description = cudaCreateChannelDesc<float4>();
  cudaExtent extent = make_cudaExtent(1, 2, description.x);
  static_cast<void>(extent);
}

int main() {
  static_cast<void>(memory);
  static_cast<void>(symbols);
  static_cast<void>(kernels);
  static_cast<void>(occupancy);
  static_cast<void>(the_rest);
}
