// SPDX-License-Identifier: Apache-2.0
// Passes five pieces from one stream to another, through two slots of memory.
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

// Makes a piece: n numbers that occur in no other piece.
__global__ void make(int* slot, int n, int piece) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slot[i] = 1000 * piece + i;
}

__global__ void use(const int* slot, int n, int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = slot[i] + 1;
}

int main() {
  const int pieces = 5, n = 100;
  int *slots[2], *device, results[pieces * n];
  CHECK(cudaMalloc(&device, sizeof results));
  cudaStream_t maker, user;
  cudaEvent_t full[2];
  CHECK(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaMalloc(&slots[s], n * sizeof(int)));
    CHECK(cudaEventCreateWithFlags(&full[s], cudaEventDisableTiming));
  }

  for (int piece = 0; piece < pieces; ++piece) {
    const int s = piece % 2;
    make<<<1, 128, 0, maker>>>(slots[s], n, piece);
    CHECK(cudaEventRecord(full[s], maker));
    CHECK(cudaStreamWaitEvent(user, full[s], 0));
    use<<<1, 128, 0, user>>>(slots[s], n, device + piece * n);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < pieces * n; ++i) right = right && results[i] == 1000 * (i / n) + i % n + 1;
  std::printf("%s\n", right ? "right" : "wrong");
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaEventDestroy(full[s]));
    CHECK(cudaFree(slots[s]));
  }
  CHECK(cudaStreamDestroy(maker));
  CHECK(cudaStreamDestroy(user));
  CHECK(cudaFree(device));
  return right ? 0 : 1;
}
