// SPDX-License-Identifier: Apache-2.0
__global__ void refine(unsigned* items, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const int evens = (n + 1) / 2;
  const int item = t < evens ? 2 * t : 2 * (t - evens) + 1;
  items[item] = refined(items[item], 40);
}
