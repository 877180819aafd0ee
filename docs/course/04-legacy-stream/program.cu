// SPDX-License-Identifier: Apache-2.0
// Two blocking streams and the legacy stream: the rules between them order everything here.
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

__global__ void fill(int* numbers, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = first + i;
}

__global__ void add(const int* a, const int* b, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  const int n = 100;
  int *a, *b, *sum, result[n];
  CHECK(cudaMalloc(&a, sizeof result));
  CHECK(cudaMalloc(&b, sizeof result));
  CHECK(cudaMalloc(&sum, sizeof result));
  cudaStream_t left, right;
  CHECK(cudaStreamCreate(&left));
  CHECK(cudaStreamCreate(&right));

  fill<<<1, 128, 0, left>>>(a, n, 0);
  fill<<<1, 128, 0, right>>>(b, n, 1000);
  add<<<1, 128>>>(a, b, sum, n);  // no stream: the legacy stream
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, sum, sizeof result, cudaMemcpyDeviceToHost));
  std::printf("99 + 1099 = %d\n", result[99]);

  CHECK(cudaStreamDestroy(left));
  CHECK(cudaStreamDestroy(right));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(sum));
}
