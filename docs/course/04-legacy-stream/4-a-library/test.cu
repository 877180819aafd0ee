// SPDX-License-Identifier: Apache-2.0
// Calls collect() twice and compares the result with what the host computes.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                               \
    }                                                             \
  } while (false)

__global__ void cumulate(int* numbers, int n) {
  for (int i = 1; i < n; ++i) numbers[i] += numbers[i - 1];
}

// The library: replaces each number by the sum of those up to it.
static void cumulate_in_library(int* numbers, int n, cudaStream_t stream) {
  cumulate<<<1, 1, 0, stream>>>(numbers, n);
  CHECK(cudaGetLastError());
}

__global__ void weigh(const int* numbers, int n, int* result) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (i % 3 + 1) * numbers[i];
  *result = sum;
}

#include EXERCISE

static int expected_result(int n) {
  int so_far = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    so_far += i + 5;
    sum += (i % 3 + 1) * so_far;
  }
  return sum;
}

int main() {
  cudaStream_t stream;
  cudaEvent_t ready;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  int wrong = 0;
  for (const int n : {50, 31}) {
    int numbers[50], *device, *device_result, result = 0;
    for (int i = 0; i < n; ++i) numbers[i] = i + 5;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMalloc(&device_result, sizeof(int)));
    CHECK(cudaMemcpy(device, numbers, n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_result, 0, sizeof(int)));
    // The next calls come after the copy and the fill.
    CHECK(cudaMemcpy(&result, device_result, sizeof(int), cudaMemcpyDeviceToHost));

    collect(device, n, device_result, stream, ready);

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&result, device_result, sizeof(int), cudaMemcpyDeviceToHost));
    if (result != expected_result(n)) {
      std::printf("n = %d: the result should be %d, but is %d\n", n, expected_result(n), result);
      ++wrong;
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(device_result));
  }
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaStreamDestroy(stream));
  return wrong ? 1 : 0;
}
