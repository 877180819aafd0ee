// SPDX-License-Identifier: Apache-2.0
__global__ void grow(int* x, int n) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i) x[i] = 3 * x[i] + 1;
}
