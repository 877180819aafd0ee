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

__global__ void square(int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] *= numbers[i];
}
__global__ void add_one(int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] += 1;
}

#include EXERCISE

int main() {
  cudaStream_t streams[2];
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
  }
  for (const int count : {128, 1, 500}) {
    std::vector<int> numbers(count), found(count);
    std::iota(numbers.begin(), numbers.end(), 2);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    const size_t bytes = count * sizeof(int);
    int *a, *b;
    cudaEvent_t event;
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaMalloc(&a, bytes));
    // In the streams of the pipeline, so that nothing has to wait for them here.
    CHECK(cudaMemcpyAsync(a, numbers.data(), bytes, cudaMemcpyHostToDevice, streams[0]));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMemsetAsync(b, 0, bytes, streams[1]));

    pipeline(a, b, count, streams[0], streams[1], event);

    CHECK(cudaSetDevice(1));
    while (cudaStreamQuery(streams[1]) == cudaErrorNotReady) {
    }
    CHECK(cudaMemcpy(found.data(), b, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(b));
    CHECK(cudaSetDevice(0));
    while (cudaStreamQuery(streams[0]) == cudaErrorNotReady) {
    }
    CHECK(cudaFree(a));
    CHECK(cudaEventDestroy(event));
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const int expected = numbers[i] * numbers[i] + 1;
      if (found[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("%d numbers, element %d: expected %d, got %d\n", count, i, expected, found[i]);
    }
    if (wrong) return 1;
  }
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamDestroy(streams[device]));
  }
  std::printf("All numbers are right.\n");
}
