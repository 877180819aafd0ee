// SPDX-License-Identifier: Apache-2.0
// Block 0 hands 64 numbers over to block 1. *flag is 0 at first.
__global__ void hand_over(int* results, int* parcel, int* flag, const int* numbers) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    parcel[t] = numbers[t] + 100;
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __syncthreads();
    results[t] = 2 * parcel[t];
  }
}
