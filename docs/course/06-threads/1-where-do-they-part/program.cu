// SPDX-License-Identifier: Apache-2.0
// Threads of three warps do different numbers of rounds.
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

__global__ void spin(int* results) {
  const int count = threadIdx.x / 24;
  int x = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * x + k;
  results[threadIdx.x] = x;
}

int main() {
  int* results;
  CHECK(cudaMalloc(&results, 96 * sizeof(int)));
  spin<<<1, 96>>>(results);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(results));
}
