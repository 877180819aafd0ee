// SPDX-License-Identifier: Apache-2.0
// Two kernels in two streams want one chair. In which order does the program fail?
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void prepare(int* ready) { atomicAdd(ready, 1); }
__global__ void sit_down(int* chair, int name) { atomicCAS(chair, 0, name); }

int main() {
  int *chair, *ready, owner = 0;
  CHECK(cudaMalloc(&chair, sizeof(int)));
  CHECK(cudaMalloc(&ready, sizeof(int)));
  CHECK(cudaMemset(chair, 0, sizeof(int)));
  CHECK(cudaMemset(ready, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));

  prepare<<<1, 1, 0, first>>>(ready);
  sit_down<<<1, 1, 0, first>>>(chair, 1);
  prepare<<<1, 1, 0, second>>>(ready);
  sit_down<<<1, 1, 0, second>>>(chair, 2);
  CHECK(cudaGetLastError());

  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&owner, chair, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaFree(ready));
  CHECK(cudaFree(chair));
  std::printf("the chair is %d's\n", owner);
  return owner == 1 ? 0 : 1;
}
