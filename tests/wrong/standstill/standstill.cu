// SPDX-License-Identifier: Apache-2.0
// Kernels that wait. `flags` are 0 at first.

// Until somebody else has set a flag.
extern "C" __global__ void wait_for(volatile int* flags, int which) {
  while (flags[which] == 0) {
  }
}

extern "C" __global__ void set(volatile int* flags, int which) { flags[which] = 1; }

// Two blocks: each waits for the other; `first` says which of them does not wait.
extern "C" __global__ void meet(volatile int* flags, int first) {
  const int own = static_cast<int>(blockIdx.x);
  if (own != first)
    while (flags[1 - own] == 0) {
    }
  flags[own] = 1;
}

// Takes a lock as often as `times` says, and gives it back once.
extern "C" __global__ void lock(int* flags, int times) {
  for (int i = 0; i < times; ++i)
    while (atomicCAS(&flags[0], 0, 1) != 0) __nanosleep(100);
  atomicExch(&flags[0], 0);
}

// Threads meet at a barrier in shared memory, in two rounds, for each of which it is initialised.
// `orderly`: once all have left it.
extern "C" __global__ void rounds(int* flags, int orderly) {
  __shared__ unsigned long long barrier;
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x == 0)
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place), "r"(blockDim.x) : "memory");
    __syncthreads();
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
    int over;
    do
      asm volatile(
          "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
          : "=r"(over)
          : "r"(place), "l"(state)
          : "memory");
    while (!over);
    if (!orderly) continue;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(place) : "memory");
  }
  if (threadIdx.x == 0) flags[0] = 1;
}

__device__ long long now() {
  long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

// Sorts by exchanging neighbours. Whether there is another turn is read from one place in memory,
// as if another thread were to say so. A turn takes at least 4 ms.
extern "C" __global__ void sort(int* numbers, int count) {
  __shared__ volatile int swapped;
  do {
    __syncthreads();
    swapped = 0;
    __syncthreads();
    for (int odd = 0; odd < 2; ++odd) {
      for (int i = 2 * static_cast<int>(threadIdx.x) + odd; i + 1 < count; i += 2 * blockDim.x)
        if (numbers[i] > numbers[i + 1]) {
          const int first = numbers[i];
          numbers[i] = numbers[i + 1];
          numbers[i + 1] = first;
          swapped = 1;
        }
      __syncthreads();
    }
    for (const long long begun = now(); now() - begun < 4'000'000;) {
    }
  } while (swapped);
}
