// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

__global__ void number(int* elements, int n) {
  const int i = threadIdx.x * gridDim.x + blockIdx.x;
  if (i < n) elements[i] = blockIdx.x * blockDim.x + threadIdx.x;
}

int main() {
  const int n = 12;
  int elements[n];
  int* device;
  if (cudaMalloc(&device, sizeof elements) != cudaSuccess) return 1;
  number<<<4, 5>>>(device, n);
  if (cudaGetLastError() != cudaSuccess) return 1;
  if (cudaMemcpy(elements, device, sizeof elements, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  if (cudaFree(device) != cudaSuccess) return 1;

  std::printf("element 3: thread %d\n", elements[3]);
  std::printf("element 7: thread %d\n", elements[7]);
  std::printf("element 8: thread %d\n", elements[8]);
}
