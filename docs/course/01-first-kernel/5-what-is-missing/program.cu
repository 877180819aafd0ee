// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                               \
    }                                                             \
  } while (false)

__global__ void add_one(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

int main() {
  const int n = 100;
  int numbers[n];
  for (int i = 0; i < n; ++i) numbers[i] = 10 * i;

  int *from, *to;
  CHECK(cudaMalloc(&from, n * sizeof(int)));
  CHECK(cudaMalloc(&to, n * sizeof(int)));
  CHECK(cudaMemcpy(from, numbers, n, cudaMemcpyHostToDevice));
  add_one<<<2, 64>>>(from, to, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(numbers, to, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(from));
  CHECK(cudaDeviceReset());
  std::printf("%d\n", numbers[7]);
}
