// SPDX-License-Identifier: Apache-2.0
// Adds up a matrix in two ways: along its rows and along its columns. Each thread makes one sum.
// The arithmetic is the same; the memory that 32 threads touch at the same moment is not.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

constexpr int size = 128;  // rows, and columns

// Thread r walks along row r: its neighbour is 512 bytes away.
__global__ void sum_rows(const float* matrix, float* sums) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int column = 0; column < size; ++column) sum += matrix[row * size + column];
  sums[row] = sum;
}

// Thread c walks down column c: its neighbour reads the next number.
__global__ void sum_columns(const float* matrix, float* sums) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = 0; row < size; ++row) sum += matrix[row * size + column];
  sums[column] = sum;
}

float total(const float* sums) {
  std::vector<float> host(size);
  CHECK(cudaMemcpy(host.data(), sums, size * sizeof(float), cudaMemcpyDeviceToHost));
  float total = 0;
  for (const float sum : host) total += sum;
  return total;
}

int main() {
  std::vector<float> numbers(size * size);
  for (int i = 0; i < size * size; ++i) numbers[i] = i % 1000;
  float *matrix, *sums;
  CHECK(cudaMalloc(&matrix, size * size * sizeof(float)));
  CHECK(cudaMalloc(&sums, size * sizeof(float)));
  CHECK(cudaMemcpy(matrix, numbers.data(), size * size * sizeof(float), cudaMemcpyHostToDevice));

  sum_rows<<<size / 32, 32>>>(matrix, sums);
  CHECK(cudaGetLastError());
  std::printf("by rows:    %.0f\n", total(sums));

  sum_columns<<<size / 32, 32>>>(matrix, sums);
  CHECK(cudaGetLastError());
  std::printf("by columns: %.0f\n", total(sums));

  CHECK(cudaFree(sums));
  CHECK(cudaFree(matrix));
}
