// SPDX-License-Identifier: Apache-2.0
// Writes 64 numbers by a, and reads 32 of them by b, which begins 32 numbers later. Volatile
// accesses do not stay in a cache of one address; the barrier orders the threads, as for any
// memory.
__global__ void exchange(int* a, int* b, int* results) {
  const int i = threadIdx.x;
  volatile int* const written = a;
  const volatile int* const read = b;
  written[i] = i * i + 1;
  __syncthreads();
  if (i < 32) results[i] = read[i];
}
