// SPDX-License-Identifier: Apache-2.0
// x comes from threadIdx.x: then the 32 threads of a warp, which differ in threadIdx.x, read and
// write 32 neighbours of one row. That the reads run backwards costs nothing, because the sectors
// are the same in either direction.
__global__ void mirror(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = in[y * width + (width - 1 - x)];
}
