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
  for (const int count : {1, 128, 500, 1300}) {
    const int blocks = (count + 127) / 128;
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));

    int *device, *sums, *total;
    unsigned* tickets;
    CHECK(cudaMalloc(&device, count * sizeof(int)));
    CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
    CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
    for (int launch = 1; launch <= 2; ++launch) {
      const int expected = std::accumulate(numbers.begin(), numbers.end(), 0);
      int found = 0;
      CHECK(cudaMemcpy(device, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
      CHECK(cudaMemset(sums, 0, blocks * sizeof(int)));
      CHECK(cudaMemset(total, 0, sizeof(int)));
      sum<<<blocks, 128>>>(total, sums, tickets, device, count);
      CHECK(cudaGetLastError());
      CHECK(cudaMemcpy(&found, total, sizeof(int), cudaMemcpyDeviceToHost));
      if (found != expected) {
        std::printf("%d numbers, launch %d: expected %d, got %d\n", count, launch, expected, found);
        return 1;
      }
      for (int& number : numbers) number += 5;
    }
    CHECK(cudaFree(tickets));
    CHECK(cudaFree(total));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(device));
  }
  std::printf("All sums are right.\n");
}
