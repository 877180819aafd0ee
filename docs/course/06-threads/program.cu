// SPDX-License-Identifier: Apache-2.0
// The same loops twice: with neighbours that do different work, and with warps that do.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                               \
    }                                                             \
  } while (false)

// Some work that takes as long as it is told.
__device__ int rounds(int x, int count) {
  for (int k = 0; k < count; ++k) x = x * x + k;
  return x;
}

// Threads next to each other have 0, 10, 20, ... 70 rounds to do.
__global__ void by_thread(int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  results[i] = rounds(i, i % 8 * 10);
}

// The threads of a warp have the same number of rounds to do, and the next warp another.
__global__ void by_warp(int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  results[i] = rounds(i, i / 32 % 8 * 10);
}

int main() {
  const int n = 1024;
  int* results;
  CHECK(cudaMalloc(&results, n * sizeof(int)));
  by_thread<<<n / 256, 256>>>(results);
  by_warp<<<n / 256, 256>>>(results);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(results));
  std::printf("done\n");
}
