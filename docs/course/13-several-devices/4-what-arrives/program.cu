// SPDX-License-Identifier: Apache-2.0
// Which numbers can arrive on device 1?
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void double_it(int* number) { *number *= 2; }
__global__ void add_five(int* number) { *number += 5; }

int main() {
  int *a, *b, number = 1;
  cudaStream_t stream_0, stream_1;
  cudaEvent_t event;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&a, sizeof(int)));
  CHECK(cudaMemcpy(a, &number, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaStreamCreateWithFlags(&stream_0, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&b, sizeof(int)));
  CHECK(cudaMemset(b, 0, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&stream_1, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaSetDevice(0));
  double_it<<<1, 1, 0, stream_0>>>(a);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(event, stream_0));
  add_five<<<1, 1, 0, stream_0>>>(a);
  CHECK(cudaGetLastError());

  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(stream_1, event, 0));
  CHECK(cudaMemcpyPeerAsync(b, 1, a, 0, sizeof(int), stream_1));
  CHECK(cudaStreamSynchronize(stream_1));
  CHECK(cudaMemcpy(&number, b, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("arrived: %d\n", number);

  CHECK(cudaStreamDestroy(stream_1));
  CHECK(cudaFree(b));
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream_0));
  CHECK(cudaFree(a));
}
