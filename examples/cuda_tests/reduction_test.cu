// SPDX-License-Identifier: Apache-2.0
// Adds up numbers: in a block by shared memory, in a warp by shuffles, in the grid by atomics.
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

constexpr int block = 256;

__global__ void sum(const int* numbers, int count, long long* total) {
  __shared__ int partial[block / 32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < count ? numbers[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  long long of_block = 0;
  for (int warp = 0; warp < block / 32; ++warp) of_block += partial[warp];
  atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(of_block));
}

#define CHECK(call)                                                                \
  if (const cudaError_t error = (call); error != cudaSuccess) {                    \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));            \
    return 1;                                                                      \
  }

int main() {
  for (const int count : {1, 31, 256, 257, 100'000}) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), -7);
    int* device = nullptr;
    long long *total = nullptr, found = 0;
    CHECK(cudaMalloc(&device, count * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemcpy(device, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, sizeof *total));
    sum<<<(count + block - 1) / block, block>>>(device, count, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost));
    const long long expected = std::accumulate(numbers.begin(), numbers.end(), 0LL);
    if (found != expected) {
      std::fprintf(stderr, "%d numbers: %lld, %lld expected\n", count, found, expected);
      return 1;
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(total));
  }
}
