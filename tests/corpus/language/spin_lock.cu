// SPDX-License-Identifier: Apache-2.0
// Locks: one for all blocks, one for each thread of a warp, and a ticket lock.
#include "../corpus.hpp"

__device__ int lock, next_ticket, now_serving;
__device__ volatile int shared_count;

__global__ void blocks(int* sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    const int old = shared_count;
    shared_count = old + blockIdx.x;
    *sum = shared_count;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

__global__ void threads(int* locks, int* values) {
  const int which = threadIdx.x % 3;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[which], 0, 1) == 0) {
      __threadfence();
      volatile int* const place = values + which;
      *place = *place + static_cast<int>(threadIdx.x);
      __threadfence();
      atomicExch(&locks[which], 0);
      done = true;
    }
  }
}

__global__ void tickets(int* order) {
  if (threadIdx.x) return;
  const int mine = atomicAdd(&next_ticket, 1);
  while (*reinterpret_cast<volatile int*>(&now_serving) != mine) {
  }
  order[mine] = mine * 2 + 1;
  __threadfence();
  atomicAdd(&now_serving, 1);
}

int main() {
  Buffer<int> sum(1), locks(3), values(3), order(40);
  RUN(blocks<<<50, 64>>>(sum));
  printf("sum %d\n", sum(0));
  RUN(threads<<<2, 96>>>(locks, values));
  corpus::show("values", values.read());
  RUN(tickets<<<40, 32>>>(order));
  corpus::show("order", order.read());
  return 0;
}
