// SPDX-License-Identifier: Apache-2.0
// The fences are for the threads of the own block, but the other side is another block.
__global__ void hand_over(int* results, int* parcel, int* flag, const int* numbers) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    parcel[t] = numbers[t] + 100;
    __syncthreads();
    __threadfence_block();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __threadfence_block();
    __syncthreads();
    results[t] = 2 * parcel[t];
  }
}
