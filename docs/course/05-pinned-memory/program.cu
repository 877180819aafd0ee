// SPDX-License-Identifier: Apache-2.0
// Doubles numbers on the device, with asynchronous copies and pinned memory.
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

__global__ void double_them(int* numbers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] *= 2;
}

int main() {
  const int n = 1000;
  const size_t bytes = n * sizeof(int);
  int *numbers, *results, *device;
  CHECK(cudaMallocHost(&numbers, bytes));
  CHECK(cudaMallocHost(&results, bytes));
  CHECK(cudaMalloc(&device, bytes));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < n; ++i) {
    numbers[i] = i;
    results[i] = -1;
  }

  CHECK(cudaMemcpyAsync(device, numbers, bytes, cudaMemcpyHostToDevice, stream));
  double_them<<<(n + 127) / 128, 128, 0, stream>>>(device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(results, device, bytes, cudaMemcpyDeviceToHost, stream));
  // From here on, numbers must not be written and results not even be read,
  CHECK(cudaStreamSynchronize(stream));
  // until here.
  std::printf("2 * 999 = %d\n", results[999]);

  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(numbers));
  CHECK(cudaFreeHost(results));
}
