// SPDX-License-Identifier: Apache-2.0
// The pixels are right, but threads below the picture read before they ask whether they should.
__global__ void mirror(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width) return;
  const volatile float* pixels = in;
  const float pixel = pixels[y * width + (width - 1 - x)];
  if (y < height) out[y * width + x] = pixel;
}
