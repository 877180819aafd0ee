// SPDX-License-Identifier: Apache-2.0
__global__ void grow(int* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x) x[i] = 3 * x[i] + 1;
}
