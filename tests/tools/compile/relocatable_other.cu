// SPDX-License-Identifier: Apache-2.0
// What relocatable_main.cu uses.
#include "relocatable.hpp"

__device__ int total;
__constant__ int factors[4] = {2, 3, 2, 3};
static __device__ int hidden = 2;

__device__ int scaled(int x) { return x * factors[x % 2]; }
__device__ int calls(int (*function)(int), int x) { return function(x); }

__global__ void shifted(int* out) { out[threadIdx.x] = square(static_cast<int>(threadIdx.x) + 1); }
void fill_elsewhere(int* out) {
  fill<<<1, 32>>>(out);
  shifted<<<1, 32>>>(out);
  cudaDeviceSynchronize();
}
int count_elsewhere() {
  int value = 0;
  return cudaMemcpyFromSymbol(&value, Count<int>::value, sizeof value) == cudaSuccess ? value : -1;
}
int private_elsewhere() {
  int value = 0;
  return cudaMemcpyFromSymbol(&value, hidden, sizeof value) == cudaSuccess ? value : -1;
}
