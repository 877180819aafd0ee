// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include EXERCISE

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

// The number of wrong results; the first three are printed.
int wrong_numbers(int count, int blocks, int threads) {
  std::vector<float> numbers(count), found(count);
  std::iota(numbers.begin(), numbers.end(), 1.0f);  // no two are equal
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));

  float* device;
  CHECK(cudaMalloc(&device, count * sizeof(float)));
  CHECK(cudaMemcpy(device, numbers.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  scale<<<blocks, threads>>>(device, count, 4);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));

  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    if (found[i] == 4 * numbers[i]) continue;
    if (++wrong <= 3)
      std::printf("element %d of %d: expected %g, got %g\n", i, count, 4 * numbers[i], found[i]);
  }
  return wrong;
}

int main() {
  const struct {
    int count, blocks, threads;
  } launches[] = {{1000, 2, 64}, {1, 2, 32}, {127, 1, 128}, {4096, 3, 96}, {10007, 4, 128}};
  for (const auto& [count, blocks, threads] : launches) {
    if (const int wrong = wrong_numbers(count, blocks, threads)) {
      std::printf("%d numbers by %d blocks of %d threads: %d are wrong.\n", count, blocks, threads,
                  wrong);
      return 1;
    }
  }
  std::printf("All numbers are scaled.\n");
}
