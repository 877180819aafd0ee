// SPDX-License-Identifier: Apache-2.0
// Kernels that are stopped, and their repaired twins. faults.def lists them; `data` are 1.
#include <cassert>
#include <cstdio>

#include "../twins.cuh"

// As a library does where it cannot go on.
TWINS(comes_to_a_trap) {
  const int one = data[threadIdx.x];
  if (one != (repaired ? 1 : 2)) __trap();
  work[threadIdx.x] = one;
}

// Threads that trap are not at the barrier, and that is no second mistake.
TWINS(traps_beside_a_barrier) {
  if (!repaired && threadIdx.x % 8 > 4) {
    __trap();
  } else {
    __syncthreads();
    work[threadIdx.x] = data[threadIdx.x];
  }
}

TWINS(fails_an_assertion) {
  const int index = data[threadIdx.x] * (repaired ? 255 : 256);
  assert(index < 256);
  work[threadIdx.x] = data[index];
}

__device__ int one_more(int number) { return number + 1; }

// A pointer that holds a number of the host's, say.
TWINS(calls_no_function) {
  int (*function)(int) = one_more;
  if (!repaired) function = reinterpret_cast<int (*)(int)>(0x1234567890ull * data[threadIdx.x]);
  if (threadIdx.x == 0) *reinterpret_cast<int (*volatile*)(int)>(work) = function;
  __syncthreads();
  function = *reinterpret_cast<int (*volatile*)(int)>(work);
  __syncthreads();
  work[threadIdx.x] = function(data[threadIdx.x]);
}

// Two warps wait, and the barrier is told of three.
TWINS(waits_for_too_many) {
  if (threadIdx.x >= 64) return;
  asm volatile("barrier.sync 1, %0;" ::"r"(repaired ? 64 : 96));
  work[threadIdx.x] = data[threadIdx.x];
}

// Nothing is printed in either case: the width is 0.
TWINS(prints_with_a_star) {
  if (repaired)
    printf("%s", "");
  else
    printf("%*s", data[threadIdx.x] - 1, "");
  work[threadIdx.x] = 1;
}

// 771 bytes for each call, 592,128 in all.
extern "C" __global__ void prints_at_length() {
  for (int n = 0; n < 3; ++n) printf("%770d\n", 3 * static_cast<int>(threadIdx.x) + n);
}

extern "C" __global__ void reads_a_texture(cudaTextureObject_t texture, int* work) {
  work[threadIdx.x] = tex1Dfetch<int>(texture, static_cast<int>(threadIdx.x));
}
