// SPDX-License-Identifier: Apache-2.0
// Launches grow() for several sizes and compares each number with what it should be.
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

static int wrong_numbers(int n) {
  std::vector<int> before(n), after(n);
  for (int i = 0; i < n; ++i) before[i] = 1000 + 7 * i;
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMemcpy(device, before.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  grow<<<(n + 127) / 128, 128>>>(device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(after.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));

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
  for (const int n : {1, 127, 128, 129, 1000, 5003}) wrong += wrong_numbers(n);
  if (wrong > 3) std::printf("%d numbers are wrong\n", wrong);
  return wrong ? 1 : 0;
}
