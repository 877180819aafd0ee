// SPDX-License-Identifier: Apache-2.0
// Replaces each of the n numbers by 3 * x + 1, whatever the grid is.
__global__ void grow(int* x, int n) {
  // As many numbers as there are threads are done in each turn, so that is how far the next one is
  // away.
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) x[i] = 3 * x[i] + 1;
}
