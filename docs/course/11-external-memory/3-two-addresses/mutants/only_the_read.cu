// SPDX-License-Identifier: Apache-2.0
// The read is volatile, but the write is not.
__global__ void exchange(int* a, int* b, int* results) {
  const int i = threadIdx.x;
  const volatile int* const read = b;
  a[i] = i * i + 1;
  __syncthreads();
  if (i < 32) results[i] = read[i];
}
