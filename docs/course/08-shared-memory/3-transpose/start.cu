// SPDX-License-Identifier: Apache-2.0
// Transposes `in`, which has height rows of width numbers. Blocks have 32 x 32 threads.
__global__ void transpose(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
