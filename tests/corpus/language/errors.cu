// SPDX-License-Identifier: Apache-2.0
// The state after a faulting kernel; each error is in a process of its own.
#include <sys/wait.h>

#include "../corpus.hpp"

__global__ void trap(int t) {
  if (threadIdx.x == t) asm volatile("trap;");
}
__global__ void wild(int* p) { p[threadIdx.x] = 1; }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 3; }
__global__ void unreachable(int* out, int v) {
  if (v < 0) __trap();
  *out = v;
}

template <typename F>
void in_child(const char* name, const F& f) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Buffer<int> memory(64);
    f(memory.get());
    const cudaError_t error = cudaDeviceSynchronize();
    const cudaError_t after = cudaMemset(memory.get(), 0, 4);
    printf("%s: %s, then %s\n", name, cudaGetErrorName(error), cudaGetErrorName(after));
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) printf("%s: status %x\n", name, status);
}

int main() {
  in_child("trap", [](int*) { trap<<<1, 64>>>(33); });
  in_child("no trap", [](int*) { trap<<<1, 64>>>(64); });
  in_child("wild", [](int*) { wild<<<1, 32>>>(reinterpret_cast<int*>(16)); });
  in_child("misaligned", [](int* p) { misaligned<<<1, 1>>>(reinterpret_cast<char*>(p)); });
  in_child("fine", [](int* p) { unreachable<<<1, 1>>>(p, 4); });
  in_child("too many threads", [](int* p) {
    wild<<<1, 2000>>>(p);
    printf("%s ", cudaGetErrorName(cudaGetLastError()));
  });
  return 0;
}
