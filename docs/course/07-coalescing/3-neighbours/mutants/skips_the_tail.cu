// SPDX-License-Identifier: Apache-2.0
// Whole rounds only: what is left over is forgotten.
__global__ void scale(float* numbers, int count, float factor) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int round = 0; round < count / threads; ++round) numbers[round * threads + thread] *= factor;
}
