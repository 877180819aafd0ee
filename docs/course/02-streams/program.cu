// SPDX-License-Identifier: Apache-2.0
// Sends the two halves of an array through two streams: a copy to the device, a kernel, a copy
// back.
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

__global__ void square(int* numbers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = numbers[i] * numbers[i];
}

int main() {
  const int half = 500;
  int *numbers, *device;
  CHECK(cudaMallocHost(&numbers, 2 * half * sizeof(int)));
  CHECK(cudaMalloc(&device, 2 * half * sizeof(int)));
  for (int i = 0; i < 2 * half; ++i) numbers[i] = i;

  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  for (int part = 0; part < 2; ++part) {
    int* const from = numbers + part * half;
    int* const there = device + part * half;
    CHECK(cudaMemcpyAsync(there, from, half * sizeof(int), cudaMemcpyHostToDevice, streams[part]));
    square<<<(half + 127) / 128, 128, 0, streams[part]>>>(there, half);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(from, there, half * sizeof(int), cudaMemcpyDeviceToHost, streams[part]));
  }
  std::printf("everything is submitted\n");
  CHECK(cudaDeviceSynchronize());
  std::printf("999 * 999 = %d\n", numbers[999]);

  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(numbers));
}
