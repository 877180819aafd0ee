// SPDX-License-Identifier: Apache-2.0
__global__ void refine(unsigned* items, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const int half = (n + 1) / 2;
  const int item = t < half ? t + n - half : t - half;
  items[item] = refined(items[item], rounds_of(item));
}
