// SPDX-License-Identifier: Apache-2.0
// Two devices share the work: the first one makes numbers, the second one takes them over and goes
// on.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void make(int* numbers) { numbers[threadIdx.x] = 10 * threadIdx.x; }
__global__ void go_on(int* numbers) { numbers[threadIdx.x] += 1; }

int main() {
  int devices;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::printf("This program needs two devices: cuvette run --devices=2 ...\n");
    return 1;
  }
  constexpr size_t bytes = 64 * sizeof(int);
  int* numbers[2];
  cudaStream_t streams[2];
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));  // what follows is about this device
    CHECK(cudaMalloc(&numbers[device], bytes));
    CHECK(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
  }

  CHECK(cudaSetDevice(0));
  cudaEvent_t made;
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  make<<<1, 64, 0, streams[0]>>>(numbers[0]);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(made, streams[0]));

  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(streams[1], made, 0));  // an event of the other device
  CHECK(cudaMemcpyPeerAsync(numbers[1], 1, numbers[0], 0, bytes, streams[1]));
  go_on<<<1, 64, 0, streams[1]>>>(numbers[1]);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(streams[1]));

  int host[64];
  CHECK(cudaMemcpy(host, numbers[1], bytes, cudaMemcpyDeviceToHost));
  std::printf("%d, %d, ... %d\n", host[0], host[1], host[63]);

  CHECK(cudaSetDevice(0));
  CHECK(cudaEventDestroy(made));
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamDestroy(streams[device]));
    CHECK(cudaFree(numbers[device]));
  }
}
