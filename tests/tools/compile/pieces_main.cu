// SPDX-License-Identifier: Apache-2.0
// The file with main(), with a static kernel and a variable whose names another file uses, too.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

#include "pieces.hpp"

__device__ static int offset = 100;

#if defined(__CUDA_ARCH__)
constexpr int architecture = __CUDA_ARCH__;
#else
constexpr int architecture = 0;
#endif

__global__ static void fill(int* values) {
  assert(blockDim.x == 64);
  values[threadIdx.x] = static_cast<int>(threadIdx.x) + offset;
  if (threadIdx.x == 7) printf("thread %d of arch %d\n", values[7], architecture);
}

// Whether a launch without a stream uses the thread's own stream.
__global__ static void empty() {}
static bool default_stream_is_own() {
  cudaStream_t stream;
  if (cudaStreamCreate(&stream) != cudaSuccess) return false;
  // A launch in the legacy stream is refused while any thread captures in this mode.
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess) return false;
  empty<<<1, 1>>>();
  const bool own = cudaGetLastError() == cudaSuccess;
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  return own;
}

int main() {
  int* values;
  if (cudaMalloc(&values, 64 * sizeof(int)) != cudaSuccess) return 1;
  fill<<<1, 64>>>(values);
  launch_scale(values, 64);
  printf("sum %d\n", sum(values, 64));
  printf("default stream: %s\n", default_stream_is_own() ? "per-thread" : "legacy");
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
