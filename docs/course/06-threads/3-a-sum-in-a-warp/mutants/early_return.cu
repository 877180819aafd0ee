// SPDX-License-Identifier: Apache-2.0
__global__ void sum_warps(const int* numbers, int n, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = numbers[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (i < n && threadIdx.x % 32 == 0) sums[i / 32] = sum;
}
