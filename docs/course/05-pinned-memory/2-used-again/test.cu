// SPDX-License-Identifier: Apache-2.0
// Calls upload() twice and compares what has arrived on the device.
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

static int numbers_so_far = 0;

// Returns the next number of a long series, in which no number comes twice.
static int next_number() { return 11 * numbers_so_far++ + 5; }

#include EXERCISE

int main() {
  cudaStream_t stream;
  cudaEvent_t copied;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  int wrong = 0;
  for (const int pieces : {4, 3}) {
    const int n = 30 * pieces + 7;
    const int first = numbers_so_far;
    int *staging, *device;
    CHECK(cudaMallocHost(&staging, n * sizeof(int)));
    CHECK(cudaMalloc(&device, pieces * n * sizeof(int)));
    upload(device, pieces, n, staging, stream, copied);
    CHECK(cudaStreamSynchronize(stream));

    std::vector<int> arrived(pieces * n);
    CHECK(cudaMemcpy(arrived.data(), device, arrived.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < pieces * n; ++i) {
      const int expected = 11 * (first + i) + 5;
      if (arrived[i] == expected) continue;
      if (++wrong <= 3) {
        std::printf("piece %d: number %d should be %d, but is %d\n", i / n, i % n, expected,
                    arrived[i]);
      }
    }
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(staging));
  }
  CHECK(cudaEventDestroy(copied));
  CHECK(cudaStreamDestroy(stream));
  return wrong ? 1 : 0;
}
