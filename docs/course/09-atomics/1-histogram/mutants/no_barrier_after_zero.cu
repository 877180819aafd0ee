// SPDX-License-Identifier: Apache-2.0
// A warp may count before the first one has set the counts to 0.
__global__ void histogram(int* counts, const int* values, int count) {
  __shared__ int of_block[16];
  for (int v = threadIdx.x; v < 16; v += blockDim.x) of_block[v] = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&of_block[values[i]], 1);
  __syncthreads();
  for (int v = threadIdx.x; v < 16; v += blockDim.x) atomicAdd(&counts[v], of_block[v]);
}
