// SPDX-License-Identifier: Apache-2.0
// Writes 64 numbers by a, and reads 32 of them by b, which begins 32 numbers later.
__global__ void exchange(int* a, int* b, int* results) {
  const int i = threadIdx.x;
  a[i] = i * i + 1;
  __syncthreads();
  if (i < 32) results[i] = b[i];
}
