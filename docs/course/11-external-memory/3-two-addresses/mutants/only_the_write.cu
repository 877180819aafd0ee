// SPDX-License-Identifier: Apache-2.0
// The write is volatile, but the read is not.
__global__ void exchange(int* a, int* b, int* results) {
  const int i = threadIdx.x;
  volatile int* const written = a;
  written[i] = i * i + 1;
  __syncthreads();
  if (i < 32) results[i] = b[i];
}
