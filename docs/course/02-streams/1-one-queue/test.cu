// SPDX-License-Identifier: Apache-2.0
// Calls refresh() for several sizes and compares each number with what it should be.
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

__global__ void negate_and_add(int* x, int n, int addend) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = addend - x[i];
}

#include EXERCISE

static int wrong_numbers(int n, int addend, cudaStream_t first, cudaStream_t second) {
  int *from, *to, *device;
  CHECK(cudaMallocHost(&from, n * sizeof(int)));
  CHECK(cudaMallocHost(&to, n * sizeof(int)));
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  for (int i = 0; i < n; ++i) {
    from[i] = 5 * i + addend;
    to[i] = -1;
  }
  refresh(from, to, device, n, addend, first, second);
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaStreamSynchronize(second));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int expected = addend - from[i];
    if (to[i] == expected) continue;
    if (++wrong <= 2)
      std::printf("n = %d: number %d should be %d, but is %d\n", n, i, expected, to[i]);
  }
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(from));
  CHECK(cudaFreeHost(to));
  return wrong;
}

int main() {
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  const int wrong = wrong_numbers(1000, 17, first, second) + wrong_numbers(131, 40, first, second);
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return wrong ? 1 : 0;
}
