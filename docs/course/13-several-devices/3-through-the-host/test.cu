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

#include EXERCISE

int main() {
  cudaStream_t stream;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const int count : {256, 1, 1001}) {
    std::vector<int> numbers(count), found(count);
    std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    const size_t bytes = count * sizeof(int);
    int *from, *to;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMemcpy(from, numbers.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(to, 0, bytes));
    CHECK(cudaDeviceSynchronize());

    hand_over(to, from, count, stream);

    CHECK(cudaMemcpyAsync(found.data(), to, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(to));
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(from));
    CHECK(cudaSetDevice(1));
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      if (found[i] == numbers[i]) continue;
      if (++wrong <= 3)
        std::printf("%d numbers, element %d: expected %d, got %d\n", count, i, numbers[i],
                    found[i]);
    }
    if (wrong) return 1;
  }
  CHECK(cudaStreamDestroy(stream));
  std::printf("All numbers have arrived.\n");
}
