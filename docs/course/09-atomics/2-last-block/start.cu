// SPDX-License-Identifier: Apache-2.0
// Adds up `count` numbers. Blocks have 128 threads; `sums` has one element for each block, and
// *tickets is 0.
__global__ void sum(int* total, int* sums, unsigned* tickets, const int* numbers, int count) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&of_block, numbers[i]);
  __syncthreads();

  if (threadIdx.x == 0) {
    sums[blockIdx.x] = of_block;
    if (blockIdx.x == gridDim.x - 1) {
      int all = 0;
      for (int block = 0; block < gridDim.x; ++block) all += sums[block];
      *total = all;
    }
  }
}
