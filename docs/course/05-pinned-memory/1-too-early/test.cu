// SPDX-License-Identifier: Apache-2.0
// Calls sum_of_squares() twice and compares the sum with what the host computes.
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

__global__ void square(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}

#include EXERCISE

int main() {
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  int *busy, wrong = 0;
  CHECK(cudaMalloc(&busy, 64 * sizeof(int)));
  CHECK(cudaMemset(busy, 1, 64 * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  for (const int n : {100, 257}) {
    int *numbers, *fetched, *device;
    CHECK(cudaMallocHost(&numbers, n * sizeof(int)));
    CHECK(cudaMallocHost(&fetched, n * sizeof(int)));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    long long expected = 0;
    for (int i = 0; i < n; ++i) {
      numbers[i] = 3 * i + n;
      fetched[i] = 0;
      expected += static_cast<long long>(numbers[i]) * numbers[i];
    }
    square<<<1, 64, 0, other>>>(busy, 64);
    CHECK(cudaGetLastError());

    const long long sum = sum_of_squares(numbers, fetched, device, n, stream, other);
    if (sum != expected) {
      std::printf("n = %d: the sum should be %lld, but is %lld\n", n, expected, sum);
      ++wrong;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaFreeHost(fetched));
  }
  CHECK(cudaFree(busy));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
  return wrong ? 1 : 0;
}
