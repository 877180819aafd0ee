// SPDX-License-Identifier: Apache-2.0
// The threads past the last element count as well.
__global__ void histogram(int* counts, const int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counts[values[min(i, count - 1)]], 1);
}
