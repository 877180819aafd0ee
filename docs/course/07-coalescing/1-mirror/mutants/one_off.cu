// SPDX-License-Identifier: Apache-2.0
// The last pixel of a row has the number width - 1.
__global__ void mirror(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = in[y * width + (width - x)];
}
