// SPDX-License-Identifier: Apache-2.0
// The fence orders the writes of thread 0 alone: the other threads may not have written yet.
__global__ void hand_over(int* results, int* parcel, int* flag, const int* numbers) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    parcel[t] = numbers[t] + 100;
    __threadfence();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __threadfence();
    __syncthreads();
    results[t] = 2 * parcel[t];
  }
}
