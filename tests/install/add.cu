// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add(const int* a, const int* b, int* sum) {
  sum[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main() {
  const int a[] = {1, 2, 3, 4}, b[] = {2, 3, 4, 5};
  int sum[4] = {}, *device[3];
  for (int*& one : device) cudaMalloc(&one, sizeof a);
  cudaMemcpy(device[0], a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(device[1], b, sizeof b, cudaMemcpyHostToDevice);
  add<<<1, 4>>>(device[0], device[1], device[2]);
  cudaMemcpy(sum, device[2], sizeof sum, cudaMemcpyDeviceToHost);
  for (int*& one : device) cudaFree(one);
  std::printf("%d %d %d %d\n", sum[0], sum[1], sum[2], sum[3]);
}
