// SPDX-License-Identifier: Apache-2.0
// Replaces each of the n numbers by 3 * x + 1. There is at least one thread for each.
__global__ void grow(int* x, int n) {
  // The threads of the blocks before this one, and those of this block before this thread.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // The last block has more threads than numbers are left, unless n is a multiple of its size.
  if (i < n) x[i] = 3 * x[i] + 1;
}
