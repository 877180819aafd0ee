// SPDX-License-Identifier: Apache-2.0
// Two devices swap a number. In which order does the program fail?
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void make(int* number, int value) { *number = value; }

int main() {
  int *own[2], *other[2], found[2];
  cudaStream_t streams[2];
  cudaEvent_t made;
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&own[device], sizeof(int)));
    CHECK(cudaMalloc(&other[device], sizeof(int)));
    CHECK(cudaMemset(own[device], 0, sizeof(int)));
    CHECK(cudaMemset(other[device], 0, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
  }

  // Both devices make their numbers ...
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  make<<<1, 1, 0, streams[0]>>>(own[0], 100);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(made, streams[0]));
  CHECK(cudaSetDevice(1));
  make<<<1, 1, 0, streams[1]>>>(own[1], 200);
  CHECK(cudaGetLastError());

  // ... and fetch the other one's.
  CHECK(cudaStreamWaitEvent(streams[1], made, 0));
  CHECK(cudaMemcpyPeerAsync(other[1], 1, own[0], 0, sizeof(int), streams[1]));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpyPeerAsync(other[0], 0, own[1], 1, sizeof(int), streams[0]));

  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamSynchronize(streams[device]));
    CHECK(cudaMemcpy(&found[device], other[device], sizeof(int), cudaMemcpyDeviceToHost));
  }
  std::printf("device 0 has %d, device 1 has %d\n", found[0], found[1]);

  CHECK(cudaSetDevice(0));
  CHECK(cudaEventDestroy(made));
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamDestroy(streams[device]));
    CHECK(cudaFree(other[device]));
    CHECK(cudaFree(own[device]));
  }
  return found[0] == 200 && found[1] == 100 ? 0 : 1;
}
