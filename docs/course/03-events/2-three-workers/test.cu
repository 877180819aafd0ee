// SPDX-License-Identifier: Apache-2.0
// Calls work() twice and compares the result with what the host computes.
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

const int parts = 3;

__global__ void prepare(int* numbers, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = first + i;
}

__global__ void improve(int* part, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) part[i] *= factor;
}

// One thread adds up all numbers, each with another weight.
__global__ void collect(const int* numbers, int n, long long* result) {
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<long long>(i % 7 + 1) * numbers[i];
  *result = sum;
}

#include EXERCISE

int main() {
  cudaStream_t main_stream, workers[parts];
  cudaEvent_t prepared, done[parts];
  CHECK(cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&prepared, cudaEventDisableTiming));
  for (int w = 0; w < parts; ++w) {
    CHECK(cudaStreamCreateWithFlags(&workers[w], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done[w], cudaEventDisableTiming));
  }

  int wrong = 0;
  for (const int n : {40, 33}) {
    int* numbers;
    long long *device, result;
    CHECK(cudaMalloc(&numbers, parts * n * sizeof(int)));
    CHECK(cudaMalloc(&device, sizeof result));
    CHECK(cudaMemset(numbers, 0, parts * n * sizeof(int)));
    CHECK(cudaMemset(device, 0, sizeof result));
    // The next calls come after the two fills.
    CHECK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));

    work(numbers, n, 100 + n, device, main_stream, workers, prepared, done);

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));
    long long expected = 0;
    for (int i = 0; i < parts * n; ++i) {
      expected += static_cast<long long>(i % 7 + 1) * (100 + n + i) * (i / n + 2);
    }
    if (result != expected) {
      std::printf("n = %d: the result should be %lld, but is %lld\n", n, expected, result);
      ++wrong;
    }
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(device));
  }
  CHECK(cudaEventDestroy(prepared));
  CHECK(cudaStreamDestroy(main_stream));
  for (int w = 0; w < parts; ++w) {
    CHECK(cudaEventDestroy(done[w]));
    CHECK(cudaStreamDestroy(workers[w]));
  }
  return wrong ? 1 : 0;
}
