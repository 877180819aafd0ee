// SPDX-License-Identifier: Apache-2.0
// Changes some pages three times, and compares the host's copy after each fetch().
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

const int pages = 8;
const int page_size = 64;

// Block b changes page b, if it is to be changed.
__global__ void change(int* numbers, unsigned which, int round) {
  if (which >> blockIdx.x & 1) numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1000 * round;
}

#include EXERCISE

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int *host, *device, expected[pages * page_size], wrong = 0;
  CHECK(cudaMallocHost(&host, sizeof expected));
  CHECK(cudaMalloc(&device, sizeof expected));
  for (int i = 0; i < pages * page_size; ++i) host[i] = expected[i] = 3 * i + 1;
  CHECK(cudaMemcpyAsync(device, host, sizeof expected, cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));

  int round = 0;
  for (const unsigned which : {0x12u, 0xc1u, 0x90u}) {
    ++round;
    bool changed[pages];
    for (int i = 0; i < pages * page_size; ++i) {
      changed[i / page_size] = which >> (i / page_size) & 1;
      if (changed[i / page_size]) expected[i] += 1000 * round;
    }
    change<<<pages, page_size, 0, stream>>>(device, which, round);
    CHECK(cudaGetLastError());
    fetch(host, device, changed, stream);
    for (int i = 0; i < pages * page_size; ++i) {
      if (host[i] == expected[i]) continue;
      if (++wrong <= 3) {
        std::printf("round %d: number %d should be %d, but is %d\n", round, i, expected[i],
                    host[i]);
      }
    }
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
  return wrong ? 1 : 0;
}
