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

int main() {
  for (int round = 1; round <= 3; ++round) {
    std::vector<int> numbers(64), found(64);
    std::iota(numbers.begin(), numbers.end(), 1000 * round);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(round));

    int *device, *parcel, *flag, *results;
    CHECK(cudaMalloc(&device, 64 * sizeof(int)));
    CHECK(cudaMalloc(&parcel, 64 * sizeof(int)));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMalloc(&results, 64 * sizeof(int)));
    CHECK(cudaMemcpy(device, numbers.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(parcel, 0, 64 * sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    hand_over<<<2, 64>>>(results, parcel, flag, device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found.data(), results, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(results));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(parcel));
    CHECK(cudaFree(device));

    int wrong = 0;
    for (int i = 0; i < 64; ++i) {
      const int expected = 2 * (numbers[i] + 100);
      if (found[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("round %d, element %d: expected %d, got %d\n", round, i, expected, found[i]);
    }
    if (wrong) return 1;
  }
  std::printf("All numbers are handed over.\n");
}
