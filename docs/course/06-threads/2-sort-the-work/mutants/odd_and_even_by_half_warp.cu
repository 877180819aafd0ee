// SPDX-License-Identifier: Apache-2.0
__global__ void refine(unsigned* items, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  // Within each 32 items the even ones first, then the odd ones.
  const int first = t / 32 * 32, size = n - first < 32 ? n - first : 32, evens = (size + 1) / 2;
  const int item = first + (t % 32 < evens ? 2 * (t % 32) : 2 * (t % 32 - evens) + 1);
  items[item] = refined(items[item], rounds_of(item));
}
