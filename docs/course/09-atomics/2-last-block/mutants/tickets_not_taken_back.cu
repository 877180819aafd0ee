// SPDX-License-Identifier: Apache-2.0
// In the second launch, tickets do not begin at 0.
__global__ void sum(int* total, int* sums, unsigned* tickets, const int* numbers, int count) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&of_block, numbers[i]);
  __syncthreads();

  if (threadIdx.x == 0) {
    sums[blockIdx.x] = of_block;
    __threadfence();
    const unsigned ticket = atomicAdd(tickets, 1);
    if (ticket == gridDim.x - 1) {
      __threadfence();
      int all = 0;
      for (int block = 0; block < gridDim.x; ++block) all += sums[block];
      *total = all;
    }
  }
}
