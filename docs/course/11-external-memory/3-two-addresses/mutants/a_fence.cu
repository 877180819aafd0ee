// SPDX-License-Identifier: Apache-2.0
// A fence orders accesses, but says nothing about a second address of the same bytes.
__global__ void exchange(int* a, int* b, int* results) {
  const int i = threadIdx.x;
  a[i] = i * i + 1;
  __threadfence();
  __syncthreads();
  if (i < 32) results[i] = b[i];
}
