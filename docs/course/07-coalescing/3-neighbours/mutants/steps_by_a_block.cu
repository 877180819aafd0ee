// SPDX-License-Identifier: Apache-2.0
// The step is too short: blocks multiply what other blocks have multiplied already.
__global__ void scale(float* numbers, int count, float factor) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = thread; i < count; i += blockDim.x) numbers[i] *= factor;
}
