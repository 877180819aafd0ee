// SPDX-License-Identifier: Apache-2.0
// Multiplies `count` numbers by `factor`, with any number of threads.
__global__ void scale(float* numbers, int count, float factor) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int piece = (count + threads - 1) / threads;
  const int begin = thread * piece;
  for (int i = begin; i < begin + piece && i < count; ++i) numbers[i] *= factor;
}
