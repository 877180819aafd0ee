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
  for (const int count : {128, 1, 100, 333, 1027}) {
    std::vector<int> numbers(count), found(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    for (int& number : numbers) number *= number;  // differences are rarely equal

    int *in, *out;
    CHECK(cudaMalloc(&in, count * sizeof(int)));
    CHECK(cudaMalloc(&out, count * sizeof(int)));
    CHECK(cudaMemcpy(in, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, count * sizeof(int)));
    differences<<<(count + 127) / 128, 128>>>(out, in, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    CHECK(cudaFree(in));

    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const int expected = i % 128 == 0 ? numbers[i] : numbers[i] - numbers[i - 1];
      if (found[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("%d numbers, element %d: expected %d, got %d\n", count, i, expected, found[i]);
    }
    if (wrong) return 1;
  }
  std::printf("All differences are right.\n");
}
