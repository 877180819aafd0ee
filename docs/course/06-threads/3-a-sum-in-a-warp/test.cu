// SPDX-License-Identifier: Apache-2.0
// Launches sum_warps() for some sizes and compares each sum with what it should be.
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

#include EXERCISE

int main() {
  int wrong = 0;
  for (const int n : {32, 50, 1, 203}) {
    const int warps = (n + 31) / 32;
    std::vector<int> numbers(n), sums(warps), expected(warps, 0);
    for (int i = 0; i < n; ++i) {
      numbers[i] = i * i + 3;
      expected[i / 32] += numbers[i];
    }
    int *device, *device_sums;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMalloc(&device_sums, warps * sizeof(int)));
    CHECK(cudaMemcpy(device, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    sum_warps<<<(n + 63) / 64, 64>>>(device, n, device_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), device_sums, warps * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    CHECK(cudaFree(device_sums));
    for (int w = 0; w < warps; ++w) {
      if (sums[w] == expected[w]) continue;
      if (++wrong <= 3)
        std::printf("n = %d: sum %d should be %d, but is %d\n", n, w, expected[w], sums[w]);
    }
  }
  return wrong ? 1 : 0;
}
