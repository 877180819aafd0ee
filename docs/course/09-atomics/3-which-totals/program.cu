// SPDX-License-Identifier: Apache-2.0
// Three atomic operations in three streams. Which totals are possible?
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void add(int* number) { atomicAdd(number, 5); }
__global__ void raise(int* number) { atomicMax(number, 8); }
__global__ void subtract(int* number) { atomicSub(number, 2); }

int main() {
  int *number, total = 4;
  CHECK(cudaMalloc(&number, sizeof(int)));
  CHECK(cudaMemcpy(number, &total, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t streams[3];
  for (cudaStream_t& stream : streams)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  add<<<1, 1, 0, streams[0]>>>(number);
  CHECK(cudaGetLastError());
  raise<<<1, 1, 0, streams[1]>>>(number);
  CHECK(cudaGetLastError());
  subtract<<<1, 1, 0, streams[2]>>>(number);
  CHECK(cudaGetLastError());

  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&total, number, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("total: %d\n", total);
  for (const cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(number));
}
