// SPDX-License-Identifier: Apache-2.0
// Copies an array in two halves, and uses it in between.
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

__global__ void add_up(const int* numbers, int n, int* sum) {
  *sum = 0;
  for (int i = 0; i < n; ++i) *sum += numbers[i];
}

int main() {
  const int half = 4096;
  std::vector<int> numbers(4 * half);
  for (int i = 0; i < 2 * half; ++i) numbers[i] = i;
  int *device, *sum, result;
  CHECK(cudaMalloc(&device, 2 * half * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaHostRegister(numbers.data(), numbers.size() * sizeof(int), cudaHostRegisterDefault));

  const size_t bytes = half * sizeof(int);
  CHECK(cudaMemcpyAsync(device, &numbers[0], bytes, cudaMemcpyHostToDevice, stream));
  for (int i = 0; i < half; ++i) numbers[i] = 0;
  CHECK(cudaMemcpyAsync(device + half, &numbers[half], bytes, cudaMemcpyHostToDevice, stream));
  add_up<<<1, 1, 0, stream>>>(device, 2 * half, sum);
  CHECK(cudaGetLastError());
  CHECK(cudaHostUnregister(numbers.data()));
  CHECK(cudaStreamSynchronize(stream));

  CHECK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d\n", result);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFree(sum));
}
