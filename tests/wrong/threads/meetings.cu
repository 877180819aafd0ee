// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads break the rules of what they meet at, and their repaired twins.
// meetings.def lists them.
#include "../twins.cuh"

// --- Barriers of the block ---

// The usual test of the bounds, in front of a barrier.
TWINS(returns_before_the_barrier) {
  __shared__ int tile[256];
  const bool inside = threadIdx.x < 250;
  if (!repaired && !inside) return;
  if (inside) tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (inside) work[threadIdx.x] = tile[249 - threadIdx.x];
}

TWINS(ends_whole_warps) {
  __shared__ int tile[128];
  const bool inside = threadIdx.x < 128;
  if (!repaired && !inside) return;
  if (inside) tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (inside) work[threadIdx.x] = tile[127 - threadIdx.x];
}

TWINS(syncs_in_a_branch) {
  int sum = data[threadIdx.x];
  if (repaired || threadIdx.x % 2 == 0) {
    sum *= 3;
    __syncthreads();
  }
  work[threadIdx.x] = sum;
}

TWINS(syncs_in_both_branches) {
  int sum = data[threadIdx.x];
  if (repaired) {
    __syncthreads();
    sum += threadIdx.x % 2 == 0 ? 5 : 7;
  } else if (threadIdx.x % 2 == 0) {
    __syncthreads();
    sum += 5;
  } else {
    sum += 7;
    __syncthreads();
    work[threadIdx.x + 256] = sum;
  }
  work[threadIdx.x] = sum;
}

TWINS(syncs_in_an_uneven_loop) {
  const int turns = repaired ? 4 : threadIdx.x % 4;
  int sum = 0;
  for (int i = 0; i < turns; ++i) {
    sum += data[threadIdx.x + i];
    __syncthreads();
  }
  work[threadIdx.x] = sum;
}

// A search that ends for some threads before it ends for others.
TWINS(leaves_the_loop_early) {
  int found = -1;
  for (int i = 0; i < 8; ++i) {
    const bool here = data[threadIdx.x] + i == static_cast<int>(threadIdx.x % 8) + 1;
    if (here) found = i;
    if (!repaired && here) break;
    __syncthreads();
  }
  work[threadIdx.x] = found;
}

TWINS(counts_a_part_of_a_warp) {
  if (threadIdx.x < 64) {
    if (repaired)
      asm volatile("bar.sync 1, 64;" ::: "memory");
    else
      asm volatile("{ .reg .u32 n; mov.u32 n, 40; bar.sync 1, n; }" ::: "memory");
  }
  work[threadIdx.x] = data[threadIdx.x];
}

TWINS(disagrees_about_the_count) {
  if (threadIdx.x < 32)
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  else if (threadIdx.x < 64 && repaired)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else if (threadIdx.x < 96 && !repaired)
    asm volatile("bar.sync 1, 96;" ::: "memory");
  work[threadIdx.x] = data[threadIdx.x];
}

// --- Warps ---

TWINS(shuffles_in_a_branch) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 < 16) value += __shfl_xor_sync(repaired ? 0xffff : ~0u, value, 1);
  work[threadIdx.x] = value;
}

TWINS(votes_in_a_branch) {
  int value = data[threadIdx.x];
  const unsigned all = __ballot_sync(~0u, threadIdx.x % 3 == 0);
  if (threadIdx.x % 3 == 0)
    value = static_cast<int>(__ballot_sync(repaired ? all : ~0u, value > 0));
  work[threadIdx.x] = value;
}

TWINS(is_not_in_its_mask) {
  const int value = data[threadIdx.x];
  work[threadIdx.x] = value + __shfl_xor_sync(repaired ? ~0u : 0xffff, value, 1);
}

TWINS(reduces_in_a_branch) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 < 8) value = __reduce_add_sync(repaired ? 0xff : 0xffff, value);
  work[threadIdx.x] = value;
}

TWINS(syncs_the_warp_in_a_branch) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    value += 3;
    __syncwarp(repaired ? 0xffff : ~0u);
  }
  work[threadIdx.x] = value;
  __syncthreads();
}

// The members of a barrier of the warp may come to it by different instructions.
TWINS(syncs_the_warp_in_one_branch_only) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    value += 3;
    __syncwarp();
    value *= 5;
  } else {
    value += 7;
    if (repaired) __syncwarp();
    work[threadIdx.x + 256] = value;
  }
  work[threadIdx.x] = value;
  __syncthreads();
}

TWINS(names_a_lane_that_left_the_loop) {
  int sum = 0;
  const int turns = static_cast<int>(threadIdx.x % 32) / 8 + 1;
  for (int i = 0; i < (repaired ? 4 : turns); ++i)
    sum += __shfl_down_sync(~0u, data[threadIdx.x + i], 1);
  work[threadIdx.x] = sum;
}

// --- Shuffles from lanes that are not there ---

TWINS(takes_the_value_of_no_member) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 < 16) value += __shfl_sync(0xffff, value, repaired ? 13 : 20);
  work[threadIdx.x] = value;
}

// Half a warp is a segment of its own only if the width says so.
TWINS(adds_beyond_the_half) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    for (int distance = 8; distance > 0; distance /= 2)
      value += __shfl_down_sync(0xffff, value, distance, repaired ? 16 : 32);
  work[threadIdx.x] = value;
}

TWINS(scans_from_before_the_half) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 32 >= 16) value += __shfl_up_sync(0xffff0000, value, 1, repaired ? 16 : 32);
  work[threadIdx.x] = value;
}

// Both halves shuffle, but not with each other.
TWINS(exchanges_with_the_other_half) {
  const unsigned half = threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000;
  const int value = data[threadIdx.x];
  work[threadIdx.x] = value + __shfl_xor_sync(repaired ? ~0u : half, value, 16);
}

TWINS(takes_the_value_of_a_thread_that_has_ended) {
  if (!repaired && threadIdx.x % 32 >= 24) return;
  const int value = data[threadIdx.x];
  work[threadIdx.x] = value + __shfl_xor_sync(~0u, value, 8);
}

// --- Barriers in shared memory ---

__device__ unsigned barrier_at(unsigned long long& barrier) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
}
__device__ void initialise(unsigned long long& barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier_at(barrier)), "r"(count)
               : "memory");
}
__device__ void invalidate(unsigned long long& barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(barrier_at(barrier)) : "memory");
}
__device__ unsigned long long arrive(unsigned long long& barrier) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(barrier_at(barrier))
               : "memory");
  return state;
}
__device__ bool is_over(unsigned long long& barrier, unsigned long long state) {
  int over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(barrier_at(barrier)), "l"(state)
               : "memory");
  return over;
}

// What they wait for has gone with the barrier that they arrived at.
TWINS(initialises_a_barrier_under_its_threads) {
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) initialise(barrier, blockDim.x);
  __syncthreads();
  const unsigned long long state = arrive(barrier);
  __syncthreads();
  if (!repaired && threadIdx.x == 0) initialise(barrier, blockDim.x);
  __syncthreads();
  work[threadIdx.x] = is_over(barrier, state);
  __syncthreads();
  if (repaired && threadIdx.x == 0) {
    invalidate(barrier);
    initialise(barrier, blockDim.x);
  }
  __syncthreads();
  if (repaired) work[threadIdx.x] += is_over(barrier, arrive(barrier));
}
