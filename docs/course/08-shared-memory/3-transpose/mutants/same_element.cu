// SPDX-License-Identifier: Apache-2.0
// There is a tile, but each thread takes its own element out again, so the writes are as far apart
// as before.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  if (x < width && y < height) out[x * height + y] = tile[threadIdx.y][threadIdx.x];
}
