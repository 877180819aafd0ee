// SPDX-License-Identifier: Apache-2.0
// The fence comes before the writes that it should cover.
__global__ void hand_over(int* results, int* parcel, int* flag, const int* numbers) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    __threadfence();
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
