// SPDX-License-Identifier: Apache-2.0
// Looks for the last place of a number, and relies on the order of blocks.
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

__global__ void find(const int* numbers, int n, int wanted, int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && numbers[i] == wanted) *place = i;
}

int main() {
  const int n = 300;
  int *numbers, *place, *device, result;
  CHECK(cudaMallocHost(&numbers, n * sizeof(int)));
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMalloc(&place, sizeof(int)));
  for (int i = 0; i < n; ++i) numbers[i] = i % 100;  // 42 is at 42, 142 and 242
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  CHECK(cudaMemsetAsync(place, 0xff, sizeof(int), stream));
  CHECK(cudaMemcpyAsync(device, numbers, n * sizeof(int), cudaMemcpyHostToDevice, stream));
  find<<<(n + 31) / 32, 32, 0, stream>>>(device, n, 42, place);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));

  CHECK(cudaMemcpy(&result, place, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%s: the last 42 is at %d\n", result == 242 ? "right" : "wrong", result);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFree(place));
  CHECK(cudaFreeHost(numbers));
  return result == 242 ? 0 : 1;
}
