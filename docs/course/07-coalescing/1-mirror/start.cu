// SPDX-License-Identifier: Apache-2.0
// Writes the mirror image of `in` to `out`. Both have height rows of width pixels.
__global__ void mirror(float* out, const float* in, int width, int height) {
  const int x = blockIdx.y * blockDim.y + threadIdx.y;
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width || y >= height) return;
  out[y * width + x] = in[y * width + (width - 1 - x)];
}
