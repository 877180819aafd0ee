// SPDX-License-Identifier: Apache-2.0
// Reverses 200 numbers. What does Cuvette report?
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void reverse(int* numbers, int count) {
  __shared__ int copy[256];
  const int i = threadIdx.x;
  if (i < count) {
    copy[i] = numbers[i];
    __syncthreads();
    numbers[i] = copy[count - 1 - i];
  }
}

int main() {
  const int count = 200;
  std::vector<int> numbers(count), found(count);
  for (int i = 0; i < count; ++i) numbers[i] = 3 * i;
  int* device;
  CHECK(cudaMalloc(&device, count * sizeof(int)));
  CHECK(cudaMemcpy(device, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  reverse<<<1, 256>>>(device, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  for (int i = 0; i < count; ++i)
    if (found[i] != numbers[count - 1 - i]) return 1;
  std::printf("%d numbers are reversed.\n", count);
}
