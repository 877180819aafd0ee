// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix twice: directly, and by way of a tile in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

constexpr int size = 64;  // rows, and columns

// A warp reads a piece of a row, and has to write a piece of a column.
__global__ void transpose_directly(float* out, const float* in) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  out[x * size + y] = in[y * size + x];
}

// A warp reads a piece of a row into the tile, and writes a piece of a row out of the tile.
__global__ void transpose_by_tile(float* out, const float* in) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * size + x + threadIdx.x];
  __syncthreads();  // a thread reads below what another one has written above
  out[(x + threadIdx.y) * size + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

bool is_transpose(const float* matrix, const std::vector<float>& original) {
  std::vector<float> host(size * size);
  CHECK(cudaMemcpy(host.data(), matrix, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      if (host[x * size + y] != original[y * size + x]) return false;
  return true;
}

int main() {
  std::vector<float> numbers(size * size);
  for (int i = 0; i < size * size; ++i) numbers[i] = i;
  const size_t bytes = numbers.size() * sizeof(float);
  float *in, *out;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyHostToDevice));

  const dim3 blocks(size / 32, size / 32), threads(32, 32);
  transpose_directly<<<blocks, threads>>>(out, in);
  CHECK(cudaGetLastError());
  std::printf("directly: %s\n", is_transpose(out, numbers) ? "right" : "wrong");

  CHECK(cudaMemset(out, 0, bytes));
  transpose_by_tile<<<blocks, threads>>>(out, in);
  CHECK(cudaGetLastError());
  std::printf("by tile:  %s\n", is_transpose(out, numbers) ? "right" : "wrong");

  CHECK(cudaFree(out));
  CHECK(cudaFree(in));
}
