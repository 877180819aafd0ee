// SPDX-License-Identifier: Apache-2.0
// Calls total() for two sizes and compares each number with what it should be.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                               \
    }                                                             \
  } while (false)

__global__ void multiply(const int* from, int* to, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = factor * from[i];
}

__global__ void combine(const int* a, const int* b, int* result, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) result[i] = a[i] * 1000 + b[n - 1 - i];
}

#include EXERCISE

int main() {
  int wrong = 0;
  for (const int n : {70, 129}) {
    std::vector<int> numbers(n), results(n);
    for (int i = 0; i < n; ++i) numbers[i] = 4 * i + n;
    int *device, *a, *b;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    total(numbers.data(), results.data(), n, device, a, b);
    for (int i = 0; i < n; ++i) {
      const int expected = 2 * numbers[i] * 1000 + 3 * numbers[n - 1 - i];
      if (results[i] == expected) continue;
      if (++wrong <= 3) {
        std::printf("n = %d: number %d should be %d, but is %d\n", n, i, expected, results[i]);
      }
    }
    for (int* memory : {device, a, b}) CHECK(cudaFree(memory));
  }
  return wrong ? 1 : 0;
}
