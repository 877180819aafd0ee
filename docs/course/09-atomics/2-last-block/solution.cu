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
    // Whoever sees the ticket also sees the sum: the fence is between the two, and its scope is the
    // device, since the reader is a thread of another block.
    __threadfence();
    const unsigned ticket = atomicAdd(tickets, 1);
    if (ticket == gridDim.x - 1) {  // all others have drawn theirs
      __threadfence();              // the sums are read after the ticket
      int all = 0;
      for (int block = 0; block < gridDim.x; ++block) all += sums[block];
      *total = all;
      *tickets = 0;  // for the next launch
    }
  }
}
