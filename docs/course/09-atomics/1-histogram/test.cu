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
  for (const int count : {1, 100, 256, 1000, 4321}) {
    std::mt19937 random(count);
    std::vector<int> values(count), expected(16), found(16);
    // Value v occurs more often than value v - 1, so a count in the wrong place is noticed.
    for (int& value : values) value = std::max(random() % 16, random() % 16);
    for (const int value : values) ++expected[value];

    int *device, *counts;
    CHECK(cudaMalloc(&device, count * sizeof(int)));
    CHECK(cudaMalloc(&counts, 16 * sizeof(int)));
    CHECK(cudaMemcpy(device, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, 16 * sizeof(int)));
    histogram<<<(count + 127) / 128, 128>>>(counts, device, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found.data(), counts, 16 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(device));

    int wrong = 0;
    for (int v = 0; v < 16; ++v) {
      if (found[v] == expected[v]) continue;
      if (++wrong <= 3)
        std::printf("%d elements, value %d: expected %d, got %d\n", count, v, expected[v],
                    found[v]);
    }
    if (wrong) return 1;
  }
  std::printf("All counts are right.\n");
}
