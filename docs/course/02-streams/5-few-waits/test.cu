// SPDX-License-Identifier: Apache-2.0
// Calls process() for two sizes and compares each number with what it should be.
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

__global__ void cube(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] * x[i];
}

const int pieces = 4;

#include EXERCISE

static int wrong_numbers(int n, const cudaStream_t* streams) {
  int *numbers, *device;
  CHECK(cudaMallocHost(&numbers, pieces * n * sizeof(int)));
  CHECK(cudaMalloc(&device, pieces * n * sizeof(int)));
  for (int i = 0; i < pieces * n; ++i) numbers[i] = i + 2;
  process(numbers, device, n, streams);

  int wrong = 0;
  for (int i = 0; i < pieces * n; ++i) {
    const int expected = (i + 2) * (i + 2) * (i + 2);
    if (numbers[i] == expected) continue;
    if (++wrong <= 2) {
      std::printf("pieces of %d: number %d should be %d, but is %d\n", n, i, expected, numbers[i]);
    }
  }
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(numbers));
  return wrong;
}

int main() {
  cudaStream_t streams[pieces];
  for (cudaStream_t& stream : streams) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  const int wrong = wrong_numbers(100, streams) + wrong_numbers(65, streams);
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  return wrong ? 1 : 0;
}
