// SPDX-License-Identifier: Apache-2.0
// Replaces each of the n numbers by 3 * x + 1. There is at least one thread for each.
__global__ void grow(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = 3 * x[i] + 1;
}
