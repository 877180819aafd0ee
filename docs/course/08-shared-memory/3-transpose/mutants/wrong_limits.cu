// SPDX-License-Identifier: Apache-2.0
// The second condition still asks about the element that the thread had read.
__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][33];
  const int left = blockIdx.x * 32;
  const int top = blockIdx.y * 32;
  const int x = left + threadIdx.x;
  const int y = top + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  if (x < width && y < height)
    out[(left + threadIdx.y) * height + top + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
