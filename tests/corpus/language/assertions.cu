// SPDX-License-Identifier: Apache-2.0
// Assertions that hold, and the state that a failed one leaves behind.
#include <sys/wait.h>

#include <cassert>

#include "../corpus.hpp"

__global__ void checked(int* values, int limit) {
  assert(threadIdx.x < 64 && "few threads");
  const int v = values[threadIdx.x];
  assert(v < limit);
  values[threadIdx.x] = v * 2;
}

int main() {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    freopen("/dev/null", "w", stderr);
    Buffer<int> values(corpus::numbers(64, 100));
    checked<<<1, 64>>>(values, 50);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  Buffer<int> values(corpus::numbers(64, 100));
  RUN(checked<<<1, 64>>>(values, 100));
  corpus::show("values", values.read());
  return 0;
}
