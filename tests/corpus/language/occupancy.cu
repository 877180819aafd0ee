// SPDX-License-Identifier: Apache-2.0
// Launches shaped by the occupancy functions; launch bounds; a kernel's attributes.
#include "../corpus.hpp"

__global__ void __launch_bounds__(256, 2) bounded(int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = i * i % 101;
}
__global__ void with_shared(int* out) {
  __shared__ int s[1000];
  for (int i = threadIdx.x; i < 1000; i += blockDim.x) s[i] = i;
  __syncthreads();
  out[threadIdx.x] = s[999 - threadIdx.x];
}

int main() {
  int grid = 0, block = 0, blocks = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
  const int n = 10000;
  Buffer<int> out(n);
  RUN(bounded<<<grid, block>>>(out, n));
  printf("block %d, several fit: %d\n", block, blocks > 1);
  corpus::show("out", out.read());
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, with_shared));
  printf("shared %zu, threads %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
  RUN(with_shared<<<1, 500>>>(out));
  corpus::show("out", out.read());
  bounded<<<1, 512>>>(out, n);
  printf("too many: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
