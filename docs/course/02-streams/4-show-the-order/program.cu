// SPDX-License-Identifier: Apache-2.0
// Makes even and odd numbers in two streams, and adds them up in a third.
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

// Gives element i the value 2 * i + first.
__global__ void count_up(int* numbers, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = 2 * i + first;
}

__global__ void add(const int* a, const int* b, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  const int n = 200;
  int *even, *odd, *sum, result[n];
  CHECK(cudaMalloc(&even, sizeof result));
  CHECK(cudaMalloc(&odd, sizeof result));
  CHECK(cudaMalloc(&sum, sizeof result));
  cudaStream_t first, second, third;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));

  CHECK(cudaMemsetAsync(even, 0, sizeof result, first));
  count_up<<<2, 128, 0, first>>>(even, n, 0);
  CHECK(cudaMemsetAsync(odd, 0, sizeof result, second));
  count_up<<<2, 128, 0, second>>>(odd, n, 1);
  CHECK(cudaStreamSynchronize(first));
  add<<<2, 128, 0, third>>>(even, odd, sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(result, sum, sizeof result, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && result[i] == 4 * i + 1;
  std::printf("%s\n", right ? "right" : "wrong");
  for (cudaStream_t stream : {first, second, third}) CHECK(cudaStreamDestroy(stream));
  for (int* memory : {even, odd, sum}) CHECK(cudaFree(memory));
  return right ? 0 : 1;
}
