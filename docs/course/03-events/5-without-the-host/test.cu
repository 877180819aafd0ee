// SPDX-License-Identifier: Apache-2.0
// Calls pass_on() twice and compares each number with what it should be.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                               \
    }                                                             \
  } while (false)

// Makes a piece: n numbers that occur in no other piece.
__global__ void make(int* slot, int n, int piece) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slot[i] = 1000 * piece + i;
}

__global__ void use(const int* slot, int n, int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = slot[i] + 1;
}

#include EXERCISE

int main() {
  cudaStream_t maker, user;
  cudaEvent_t full[2], empty[2];
  CHECK(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaEventCreateWithFlags(&full[s], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&empty[s], cudaEventDisableTiming));
  }

  int wrong = 0;
  for (const int pieces : {5, 4}) {
    const int n = 20 * pieces + 1;
    std::vector<int> results(pieces * n);
    int *slots[2], *device;
    for (int*& slot : slots) CHECK(cudaMalloc(&slot, n * sizeof(int)));
    CHECK(cudaMalloc(&device, results.size() * sizeof(int)));
    pass_on(pieces, n, slots, device, maker, user, full, empty);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(results.data(), device, results.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < pieces * n; ++i) {
      const int expected = 1000 * (i / n) + i % n + 1;
      if (results[i] == expected) continue;
      if (++wrong <= 3) {
        std::printf("piece %d: number %d should be %d, but is %d\n", i / n, i % n, expected,
                    results[i]);
      }
    }
    for (int* slot : slots) CHECK(cudaFree(slot));
    CHECK(cudaFree(device));
  }
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaEventDestroy(full[s]));
    CHECK(cudaEventDestroy(empty[s]));
  }
  CHECK(cudaStreamDestroy(maker));
  CHECK(cudaStreamDestroy(user));
  return wrong ? 1 : 0;
}
