// SPDX-License-Identifier: Apache-2.0
// Volatile does not replace the barrier.
__global__ void exchange(int* a, int* b, int* results) {
  const int i = threadIdx.x;
  volatile int* const written = a;
  const volatile int* const read = b;
  written[i] = i * i + 1;
  if (i < 32) results[i] = read[i];
}
