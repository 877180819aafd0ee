// SPDX-License-Identifier: Apache-2.0
__global__ void halve(const int* numbers, int* half, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) half[i] = numbers[i] / 2;
}

__global__ void add_left(const int* half, int* results, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = half[i] + (i > 0 ? half[i - 1] : 0);
}

void soften(const int* numbers, int* half, int* results, int n) {
  add_left<<<(n + 63) / 64, 64>>>(half, results, n);
  halve<<<(n + 63) / 64, 64>>>(numbers, half, n);
  CHECK(cudaGetLastError());
}
