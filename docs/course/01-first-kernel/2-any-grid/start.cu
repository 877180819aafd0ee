// SPDX-License-Identifier: Apache-2.0
// Replaces each of the n numbers by 3 * x + 1, whatever the grid is.
__global__ void grow(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 * x[i] + 1;
}
