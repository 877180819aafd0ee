// SPDX-License-Identifier: Apache-2.0
// Lanes that are late where others of their warp wait for them, since they spin on another warp or
// on another tile of their own warp; once, and in each turn of a loop.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../corpus.hpp"

namespace cg = cooperative_groups;

__device__ void wait_for(volatile unsigned* flag, unsigned value) {
  while (*flag != value) {
  }
}

// The first lane of each tile waits for the tile before it.
template <int size>
__global__ void chain(volatile unsigned* flags, unsigned* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const unsigned number = tile.meta_group_rank();
  if (tile.thread_rank() == 0) wait_for(&flags[number], number + 7);
  const unsigned sum = cg::reduce(tile, threadIdx.x, cg::plus<unsigned>());
  if (tile.thread_rank() == size - 1) {
    __threadfence();
    flags[number + 1] = number + 8;
  }
  out[threadIdx.x] = sum + tile.shfl(threadIdx.x, size / 2);
}

// In each turn, a different lane of the first warp asks the second warp for something.
__global__ void turns(volatile unsigned* flag, unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned found = 0;
  if (threadIdx.x < 32) {
    for (unsigned turn = 0; turn < 32; ++turn) {
      unsigned answer = 0;
      if (lane == (turn * 7) % 32) {
        *flag = turn * 2 + 1;
        wait_for(flag, turn * 2 + 2);
        answer = turn + 100;
      }
      found += __shfl_sync(0xffffffff, answer, (turn * 7) % 32) * (lane + 1);
      found ^= __ballot_sync(0xffffffff, answer != 0);
    }
  } else if (lane == 3) {
    for (unsigned turn = 0; turn < 32; ++turn) {
      wait_for(flag, turn * 2 + 1);
      *flag = turn * 2 + 2;
    }
  }
  out[threadIdx.x] = found;
}

// Some lanes take another path; the rest, known only at run time, include lanes that wait for
// those.
__global__ void branches(volatile unsigned* flag, unsigned* out, unsigned mask) {
  const unsigned lane = threadIdx.x;
  unsigned found = lane;
  if (mask >> lane & 1) {
    if (lane % 3 == 0) wait_for(flag, 5);
    found = __reduce_add_sync(mask, lane);
    __syncwarp(mask);
    found += __popc(__match_any_sync(mask, lane / 4));
  } else if (lane == 31) {
    __nanosleep(2000);
    *flag = 5;
    found = 1000;
  }
  out[lane] = found;
}

// A lane that gets the lock works alone; then the whole warp counts the lanes that have had it.
__global__ void locks(unsigned* lock, unsigned* shared, unsigned* out) {
  unsigned total = 0;
  for (int turn = 0; turn < 4; ++turn) {
    bool done = false;
    while (!done) {
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        *const_cast<volatile unsigned*>(shared) = *const_cast<volatile unsigned*>(shared) + 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
    }
    total += __popc(__ballot_sync(0xffffffff, done));
    total += __shfl_xor_sync(0xffffffff, threadIdx.x, 1 + turn);
  }
  if (blockIdx.x == 0) out[threadIdx.x] = total;
}

int main() {
  Buffer<unsigned> flags(64), out(128), lock(1), shared(1);
  flags.write({7});
  RUN(chain<16><<<1, 128>>>(flags.get(), out.get()));
  corpus::show("tiles of 16", out.read());
  flags.write({7});
  RUN(chain<4><<<1, 64>>>(flags.get(), out.get()));
  corpus::show("tiles of 4", out.read());
  flags.write({0});
  RUN(turns<<<1, 64>>>(flags.get(), out.get()));
  corpus::show("turns", out.read());
  flags.write({0});
  RUN(branches<<<1, 32>>>(flags.get(), out.get(), 0x7ffff0ffu));
  corpus::show("branches", out.read());
  RUN(locks<<<2, 64>>>(lock.get(), shared.get(), out.get()));
  corpus::show("locks", out.read());
  printf("%u\n", shared(0));
  return 0;
}
