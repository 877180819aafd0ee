// SPDX-License-Identifier: Apache-2.0
// Changes two numbers right after they were copied.
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

int main() {
  int *pinned, pageable, *device, results[2];
  CHECK(cudaMallocHost(&pinned, sizeof(int)));
  CHECK(cudaMalloc(&device, 2 * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  *pinned = 1;
  pageable = 1;
  CHECK(cudaMemcpyAsync(device, pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpy(device + 1, &pageable, sizeof(int), cudaMemcpyHostToDevice));
  *pinned = 2;
  pageable = 2;
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
  std::printf("pinned: %d\n", results[0]);
  std::printf("pageable: %d\n", results[1]);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
}
