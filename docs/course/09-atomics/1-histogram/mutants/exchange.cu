// SPDX-License-Identifier: Apache-2.0
// Each step is atomic, but reading and writing are still two steps.
__global__ void histogram(int* counts, const int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicExch(&counts[values[i]], atomicAdd(&counts[values[i]], 0) + 1);
}
