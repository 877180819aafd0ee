// SPDX-License-Identifier: Apache-2.0
// Calls soften() for two sizes and compares each number with what it should be.
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
  for (const int n : {200, 333}) {
    std::vector<int> numbers(n), results(n);
    for (int i = 0; i < n; ++i) numbers[i] = 2 * (i * i % 1009) + 2 * i;
    int *device, *half, *device_results;
    for (int** memory : {&device, &half, &device_results}) {
      CHECK(cudaMalloc(memory, n * sizeof(int)));
      CHECK(cudaMemset(*memory, 0, n * sizeof(int)));
    }
    CHECK(cudaMemcpy(device, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    soften(device, half, device_results, n);
    CHECK(cudaMemcpy(results.data(), device_results, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int* memory : {device, half, device_results}) CHECK(cudaFree(memory));
    for (int i = 0; i < n; ++i) {
      const int expected = numbers[i] / 2 + (i > 0 ? numbers[i - 1] / 2 : 0);
      if (results[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("n = %d: number %d should be %d, but is %d\n", n, i, expected, results[i]);
    }
  }
  return wrong ? 1 : 0;
}
