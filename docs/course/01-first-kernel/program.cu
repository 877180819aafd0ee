// SPDX-License-Identifier: Apache-2.0
// Each thread signs one element of an array with its place in its block, and the number of the
// block.
#include <cstdio>

struct Signature {
  int block;
  int thread;
};

__global__ void sign(Signature* elements, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    elements[i].block = blockIdx.x;
    elements[i].thread = threadIdx.x;
  }
}

int main() {
  const int n = 10;
  Signature elements[n];
  Signature* device;
  cudaMalloc(&device, sizeof elements);

  const int threads = 4;
  const int blocks = (n + threads - 1) / threads;
  sign<<<blocks, threads>>>(device, n);

  cudaMemcpy(elements, device, sizeof elements, cudaMemcpyDeviceToHost);
  cudaFree(device);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }

  for (int i = 0; i < n; ++i) {
    std::printf("element %d: thread %d of block %d\n", i, elements[i].thread, elements[i].block);
  }
}
