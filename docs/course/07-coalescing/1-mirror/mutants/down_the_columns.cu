// SPDX-License-Identifier: Apache-2.0
// Right, but the threads of a warp are below each other: each touches a sector of its own.
__global__ void mirror(float* out, const float* in, int width, int height) {
  const int threads_in_a_row = gridDim.x * blockDim.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int thread = row * threads_in_a_row + column;
  const int x = thread / height;
  const int y = thread % height;
  if (x >= width) return;
  out[y * width + x] = in[y * width + (width - 1 - x)];
}
