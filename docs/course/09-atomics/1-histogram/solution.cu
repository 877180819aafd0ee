// SPDX-License-Identifier: Apache-2.0
// Counts how often each value from 0 to 15 occurs: in each block first, so that the threads of all
// blocks do not queue up for the same 16 numbers.
__global__ void histogram(int* counts, const int* values, int count) {
  __shared__ int of_block[16];
  for (int v = threadIdx.x; v < 16; v += blockDim.x) of_block[v] = 0;
  __syncthreads();  // no thread counts before all are 0

  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&of_block[values[i]], 1);
  __syncthreads();  // all threads have counted

  // Other blocks add to the same counts at the same time: this addition has to be atomic as well.
  for (int v = threadIdx.x; v < 16; v += blockDim.x) atomicAdd(&counts[v], of_block[v]);
}
