// SPDX-License-Identifier: Apache-2.0
// Launches refine() for two sizes and compares each number with what it should be.
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

__host__ __device__ unsigned refined(unsigned x, int rounds) {
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) x = x * x + k;
  return x;
}

// How many rounds an item takes.
__host__ __device__ int rounds_of(int item) { return item % 2 ? 40 : 5; }

#include EXERCISE

int main() {
  int wrong = 0;
  for (const int n : {1000, 1003}) {
    std::vector<unsigned> before(n), after(n);
    for (int i = 0; i < n; ++i) before[i] = 2 * i + 7;
    unsigned* device;
    CHECK(cudaMalloc(&device, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(device, before.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    refine<<<(n + 127) / 128, 128>>>(device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(after.data(), device, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    for (int i = 0; i < n; ++i) {
      const unsigned expected = refined(before[i], rounds_of(i));
      if (after[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("n = %d: item %d should be %u, but is %u\n", n, i, expected, after[i]);
    }
  }
  return wrong ? 1 : 0;
}
