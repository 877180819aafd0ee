// SPDX-License-Identifier: Apache-2.0
__global__ void grow(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    x[i] = 3 * x[i] + 1;
    i += gridDim.x * blockDim.x;
  } while (i < n);
}
