// SPDX-License-Identifier: Apache-2.0
// Smooths three rows in three streams and compares them with what the host computes.
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

// Each number becomes a weighted sum of itself and its neighbour to the right.
__global__ void blur(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i] + from[(i + 1) % n];
}

#include EXERCISE

static std::vector<int> blurred(const std::vector<int>& from) {
  std::vector<int> to(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] = 2 * from[i] + from[(i + 1) % from.size()];
  return to;
}

int main() {
  const int count = 3, n = 150;
  std::vector<int> rows(count * n), results(count * n);
  for (int i = 0; i < count * n; ++i) rows[i] = 3 * i + 1;
  int *device, *scratch;
  CHECK(cudaMalloc(&device, count * n * sizeof(int)));
  CHECK(cudaMalloc(&scratch, count * n * sizeof(int)));
  CHECK(cudaMemcpy(device, rows.data(), count * n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t streams[count];
  for (cudaStream_t& stream : streams) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }

  blur_twice(device, scratch, count, n, streams);
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(results.data(), device, count * n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < count; ++row) {
    const auto begin = rows.begin() + row * n;
    const std::vector<int> expected = blurred(blurred({begin, begin + n}));
    for (int i = 0; i < n; ++i) {
      if (results[row * n + i] == expected[i]) continue;
      if (++wrong <= 3) {
        std::printf("row %d: number %d should be %d, but is %d\n", row, i, expected[i],
                    results[row * n + i]);
      }
    }
  }
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cudaFree(scratch));
  return wrong ? 1 : 0;
}
