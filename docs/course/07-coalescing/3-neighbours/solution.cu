// SPDX-License-Identifier: Apache-2.0
// A grid-stride loop: in each turn the grid takes the next piece of the array together, one element
// for each thread, so that the threads of a warp have neighbours. It covers any count with any
// number of threads.
__global__ void scale(float* numbers, int count, float factor) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int i = thread; i < count; i += threads) numbers[i] *= factor;
}
