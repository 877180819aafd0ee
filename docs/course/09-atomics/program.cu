// SPDX-License-Identifier: Apache-2.0
// Counts the even numbers among 5000: each thread by itself, and each block for itself first.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

// Each thread adds 1 to the same counter.
__global__ void count_one_by_one(int* total, const int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && numbers[i] % 2 == 0) atomicAdd(total, 1);
}

// Each block counts in its own shared memory first, and adds its sum to the counter.
__global__ void count_by_blocks(int* total, const int* numbers, int count) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && numbers[i] % 2 == 0) atomicAdd(&of_block, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, of_block);
}

int main() {
  const int count = 5000;
  std::vector<int> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = i * 7 % 1000;
  int *device, *total, found;
  CHECK(cudaMalloc(&device, count * sizeof(int)));
  CHECK(cudaMalloc(&total, sizeof(int)));
  CHECK(cudaMemcpy(device, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));

  CHECK(cudaMemset(total, 0, sizeof(int)));
  count_one_by_one<<<20, 256>>>(total, device, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&found, total, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("one by one: %d even numbers\n", found);

  CHECK(cudaMemset(total, 0, sizeof(int)));
  count_by_blocks<<<20, 256>>>(total, device, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&found, total, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("by blocks:  %d even numbers\n", found);

  CHECK(cudaFree(total));
  CHECK(cudaFree(device));
}
