// SPDX-License-Identifier: Apache-2.0
// Counts how often each value from 0 to 15 occurs.
__global__ void histogram(int* counts, const int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) counts[values[i]]++;
}
