// SPDX-License-Identifier: Apache-2.0
// Launches grow() for several sizes and grids, and compares each number with what it should be.
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

#include EXERCISE

static int wrong_numbers(int n, int blocks, int threads) {
  std::vector<int> before(n), after(n);
  for (int i = 0; i < n; ++i) before[i] = 1000 + 7 * i;
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMemcpy(device, before.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  grow<<<blocks, threads>>>(device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(after.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int expected = 3 * before[i] + 1;
    if (after[i] == expected) continue;
    if (++wrong <= 2) {
      std::printf("%d blocks of %d threads, n = %d: x[%d] should be %d, but is %d\n", blocks,
                  threads, n, i, expected, after[i]);
    }
  }
  return wrong;
}

int main() {
  struct Grid {
    int blocks, threads;
  };
  int wrong = 0;
  for (const int n : {1, 100, 1003}) {
    for (const Grid grid : {Grid{1, 1}, Grid{1, 96}, Grid{3, 32}, Grid{7, 50}, Grid{40, 64}}) {
      wrong += wrong_numbers(n, grid.blocks, grid.threads);
    }
  }
  if (wrong) std::printf("%d numbers are wrong\n", wrong);
  return wrong ? 1 : 0;
}
