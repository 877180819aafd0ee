// SPDX-License-Identifier: Apache-2.0
__global__ void grow(int* x, int n) {
  const int i = threadIdx.x * blockDim.x + blockIdx.x;
  if (i < n) x[i] = 3 * x[i] + 1;
}
