// SPDX-License-Identifier: Apache-2.0
// Two numbers for each thread: better than a piece, but the first of all pairs are 8 bytes apart.
__global__ void scale(float* numbers, int count, float factor) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int i = 2 * thread; i < count; i += 2 * threads) {
    numbers[i] *= factor;
    if (i + 1 < count) numbers[i + 1] *= factor;
  }
}
