// SPDX-License-Identifier: Apache-2.0
// Adds up 256 numbers with 8 warps. It is wrong, although it is hard to notice.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void sum(int* total, const int* numbers) {
  __shared__ int sums[8];
  int value = numbers[threadIdx.x];
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_down_sync(0xffffffff, value, lanes);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  if (threadIdx.x == blockDim.x - 1) {  // "The last thread comes last."
    int all = 0;
    for (int warp = 0; warp < 8; ++warp) all += sums[warp];
    *total = all;
  }
}

int main() {
  std::vector<int> numbers(256);
  int expected = 0;
  for (int i = 0; i < 256; ++i) expected += numbers[i] = i * i + 1;

  int *device, *total, found = 0;
  CHECK(cudaMalloc(&device, 256 * sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMemcpy(device, numbers.data(), 256 * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(total, 0, sizeof(int)));
  sum<<<1, 256>>>(total, device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&found, total, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(total));
  CHECK(cudaFree(device));

  std::printf("sum: %d, expected: %d\n", found, expected);
  return found == expected ? 0 : 1;
}
