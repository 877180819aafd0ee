// SPDX-License-Identifier: Apache-2.0
// Transposes `in`, which has height rows of width numbers. Blocks have 32 x 32 threads.
__global__ void transpose(float* out, const float* in, int width, int height) {
  // 33 and not 32: a column of the tile then goes through all banks instead of staying in one.
  __shared__ float tile[32][33];
  const int left = blockIdx.x * 32;
  const int top = blockIdx.y * 32;

  const int x = left + threadIdx.x;
  const int y = top + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();

  // Each thread now has another element: neighbours in threadIdx.x differ in y, by which a row of
  // `out` is indexed.
  const int column = left + threadIdx.y;
  const int row = top + threadIdx.x;
  if (column < width && row < height) out[column * height + row] = tile[threadIdx.x][threadIdx.y];
}
