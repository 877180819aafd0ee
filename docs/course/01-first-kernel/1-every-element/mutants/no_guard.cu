// SPDX-License-Identifier: Apache-2.0
__global__ void grow(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 3 * x[i] + 1;
}
