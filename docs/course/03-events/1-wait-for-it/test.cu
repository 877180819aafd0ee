// SPDX-License-Identifier: Apache-2.0
// Calls make_and_use() twice and compares each number with what it should be.
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

__global__ void make(int* numbers, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = first + 3 * i;
}

__global__ void use(const int* numbers, int n, int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = 2 * numbers[n - 1 - i];
}

#include EXERCISE

static int wrong_numbers(const std::vector<int>& results, int first) {
  const int n = static_cast<int>(results.size());
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int expected = 2 * (first + 3 * (n - 1 - i));
    if (results[i] == expected) continue;
    if (++wrong <= 2)
      std::printf("n = %d: number %d should be %d, but is %d\n", n, i, expected, results[i]);
  }
  return wrong;
}

int main() {
  cudaStream_t maker, user;
  cudaEvent_t made;
  CHECK(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));

  int wrong = 0;
  for (const int n : {100, 77}) {
    std::vector<int> results(n);
    int *numbers, *device;
    CHECK(cudaMalloc(&numbers, n * sizeof(int)));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMemset(numbers, 0, n * sizeof(int)));
    CHECK(cudaMemset(device, 0, n * sizeof(int)));
    // The next calls come after the two fills.
    CHECK(cudaMemcpy(results.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));

    make_and_use(numbers, n, 1000 + n, device, maker, user, made);

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(results.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    wrong += wrong_numbers(results, 1000 + n);
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(device));
  }
  CHECK(cudaEventDestroy(made));
  CHECK(cudaStreamDestroy(maker));
  CHECK(cudaStreamDestroy(user));
  return wrong ? 1 : 0;
}
