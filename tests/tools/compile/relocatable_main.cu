// SPDX-License-Identifier: Apache-2.0
// Uses functions and variables of another file on the device, and both files' private ones.
#include <cstdio>

#include "relocatable.hpp"

static __device__ int hidden = 1;
// Kernels use these before the host does.
static __constant__ int table[4] = {1, 2, 3, 4};
static __device__ int base = 5;
struct Place {
  int* at;
};
__device__ Place place = {&base};
// The host uses this one before the kernel does.
cudaError_t set_count(float value) {
  return cudaMemcpyToSymbol(Count<float>::value, &value, sizeof value);
}
__global__ void look_up(int* out) {
  out[threadIdx.x] = table[threadIdx.x % 4] + base + *place.at + Count<int>::value +
                     static_cast<int>(Count<float>::value);
}

__device__ int negated(int x) { return -x; }
__global__ void use(int* out) {
  atomicAdd(&total, scaled(threadIdx.x));
  out[threadIdx.x] = calls(negated, threadIdx.x) + hidden;
}

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  printf("FAILED %s\n", what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

int main() {
  int* out;
  EXPECT(cudaMallocManaged(&out, 32 * sizeof *out) == cudaSuccess);
  const int start = 1000, more = 7;
  EXPECT(cudaMemcpyToSymbol(total, &start, sizeof start) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(factors, &more, sizeof more, sizeof(int)) == cudaSuccess);
  use<<<1, 32>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  int sum = 0;
  EXPECT(cudaMemcpyFromSymbol(&sum, total, sizeof sum) == cudaSuccess);
  // Each t from 0 to 31 times 2, for even ones, or times 7.
  EXPECT(sum == 1000 + 240 * 2 + 256 * 7);
  EXPECT(out[0] == 1 && out[31] == -30);
  fill<<<1, 32>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[5] == 25);
  fill_elsewhere(out);
  EXPECT(out[5] == 36 && private_elsewhere() == 2);
  look_up<<<1, 32>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[1] == 2 + 5 + 5 + 3 + 3);
  const int others[4] = {10, 20, 30, 40}, five = 50, three = 300;
  EXPECT(cudaMemcpyToSymbol(table, others, sizeof others) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(base, &five, sizeof five) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(Count<int>::value, &three, sizeof three) == cudaSuccess);
  EXPECT(set_count(7) == cudaSuccess);
  look_up<<<1, 32>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[1] == 20 + 50 + 50 + 300 + 7);
  EXPECT(count_elsewhere() == 300);
  printf("%d failures\n", failures);
  return failures != 0;
}
