// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void add(int* sums, const int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sums[i] += numbers[i];
}

#include EXERCISE

int main() {
  for (const int count : {128, 1, 777}) {
    std::vector<int> sums(count), numbers(count), found(count);
    std::iota(sums.begin(), sums.end(), 10000);
    std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    const size_t bytes = count * sizeof(int);
    int *on_0, *on_1;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&on_1, bytes));
    CHECK(cudaMemcpy(on_1, numbers.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&on_0, bytes));
    CHECK(cudaMemcpy(on_0, sums.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());

    add_from_other(on_0, on_1, count);

    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpy(found.data(), on_0, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_0));
    CHECK(cudaSetDevice(1));
    CHECK(cudaFree(on_1));
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const int expected = sums[i] + numbers[i];
      if (found[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("%d numbers, element %d: expected %d, got %d\n", count, i, expected, found[i]);
    }
    if (wrong) return 1;
  }
  std::printf("All sums are right.\n");
}
