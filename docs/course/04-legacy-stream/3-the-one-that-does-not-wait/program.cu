// SPDX-License-Identifier: Apache-2.0
// Makes four quarters of an array in four streams, and copies the whole to the host.
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

__global__ void count_up(int* numbers, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = first + i;
}

int main() {
  const int quarters = 4, n = 75;
  const unsigned flags[quarters] = {cudaStreamDefault, cudaStreamDefault, cudaStreamNonBlocking,
                                    cudaStreamDefault};
  int *device, numbers[quarters * n];
  CHECK(cudaMalloc(&device, sizeof numbers));
  CHECK(cudaMemset(device, 0, sizeof numbers));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t streams[quarters];
  for (int q = 0; q < quarters; ++q) CHECK(cudaStreamCreateWithFlags(&streams[q], flags[q]));

  for (int q = 0; q < quarters; ++q) {
    count_up<<<2, 64, 0, streams[q]>>>(device + q * n, n, 1 + q * n);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(numbers, device, sizeof numbers, cudaMemcpyDeviceToHost));

  bool right = true;
  for (int i = 0; i < quarters * n; ++i) right = right && numbers[i] == i + 1;
  std::printf("%s\n", right ? "right" : "wrong");
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  return right ? 0 : 1;
}
