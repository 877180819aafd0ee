// SPDX-License-Identifier: Apache-2.0
// Calls grow_all() for several sizes and compares each number with what it should be.
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

__global__ void grow(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 * x[i] + 1;
}

#include EXERCISE

static int wrong_numbers(int n) {
  std::vector<int> before(n);
  for (int i = 0; i < n; ++i) before[i] = 1000 + 7 * i;
  std::vector<int> after = before;
  grow_all(after.data(), n);

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int expected = 3 * before[i] + 1;
    if (after[i] == expected) continue;
    if (++wrong <= 3)
      std::printf("n = %d: x[%d] should be %d, but is %d\n", n, i, expected, after[i]);
  }
  return wrong;
}

int main() {
  int wrong = 0;
  for (const int n : {1, 128, 1003}) wrong += wrong_numbers(n);
  CHECK(cudaDeviceReset());
  if (wrong > 3) std::printf("%d numbers are wrong\n", wrong);
  return wrong ? 1 : 0;
}
