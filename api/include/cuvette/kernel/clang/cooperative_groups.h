// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: threads that wait for each other and exchange values, as objects. For
// `cuvette c++`; what is not here yet are tiles of more than 32 threads, clusters and copies.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#if !defined(__clang__) || !defined(__CUDA__)
#error "Cuvette's cooperative_groups.h is for cuvette c++; nvcc has its own"
#endif

#include "../group.h"

namespace cooperative_groups {

// All threads of a block.
class thread_block {
 public:
  // The token from barrier_arrive() to barrier_wait().
  struct arrival_token {};

  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned size() { return details::threads_of_block(); }
  static __device__ unsigned num_threads() { return size(); }
  static __device__ unsigned thread_rank() { return details::thread_in_block(); }
  static __device__ dim3 group_index() { return blockIdx; }
  static __device__ dim3 thread_index() { return threadIdx; }
  static __device__ dim3 group_dim() { return blockDim; }
  static __device__ dim3 dim_threads() { return blockDim; }

  // The threads that wait meet at the barrier: none continues before all have arrived.
  __device__ arrival_token barrier_arrive() const { return {}; }
  __device__ void barrier_wait(arrival_token&&) const { __syncthreads(); }

  __device__ operator thread_group() const {
    return thread_group(true, ~0u, size(), thread_rank());
  }
};

static __inline__ __device__ thread_block this_thread_block() { return {}; }

// All threads of a grid. They can wait for each other if the launch was cooperative.
class grid_group {
 public:
  // The token from barrier_arrive() to barrier_wait(): the number that ends the round.
  struct arrival_token {
    unsigned end_of_round;
  };

  __device__ grid_group() {
    unsigned high, low;
    __asm__ volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    __asm__ volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    workspace_ = reinterpret_cast<unsigned*>(static_cast<unsigned long long>(high) << 32 | low);
  }
  __device__ bool is_valid() const { return workspace_ != nullptr; }

  static __device__ unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static __device__ unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static __device__ unsigned long long num_threads() {
    return num_blocks() * details::threads_of_block();
  }
  static __device__ unsigned long long size() { return num_threads(); }
  static __device__ unsigned long long thread_rank() {
    return block_rank() * details::threads_of_block() + details::thread_in_block();
  }
  static __device__ dim3 group_dim() { return gridDim; }
  static __device__ dim3 dim_blocks() { return gridDim; }
  static __device__ dim3 block_index() { return blockIdx; }

  // Waits for all blocks. Each draws a number; a round is over when all numbers of it are drawn.
  __device__ void sync() const { barrier_wait(barrier_arrive()); }

  __device__ arrival_token barrier_arrive() const {
    if (!is_valid()) __trap();
    unsigned end_of_round = 0;
    __syncthreads();
    if (details::thread_in_block() == 0) {
      const auto blocks = static_cast<unsigned>(num_blocks());
      __threadfence();
      end_of_round = (atomicAdd(workspace_ + word, 1u) / blocks + 1) * blocks;
    }
    return {end_of_round};
  }
  __device__ void barrier_wait(arrival_token&& token) const {
    if (details::thread_in_block() == 0) {
      unsigned now;
      do {
        __asm__ volatile("ld.acquire.gpu.u32 %0, [%1];"
                         : "=r"(now)
                         : "l"(workspace_ + word)
                         : "memory");
      } while (static_cast<int>(now - token.end_of_round) < 0);
      __threadfence();
    }
    __syncthreads();
  }

 private:
  static constexpr int word = 4;  // of the workspace that the device gives a cooperative launch
  unsigned* workspace_;
};

static __inline__ __device__ grid_group this_grid() { return {}; }

// Tiles of a block, or of a tile.
template <unsigned Size>
static __inline__ __device__ thread_block_tile<Size, thread_block> tiled_partition(
    const thread_block&) {
  return thread_block_tile<Size, thread_block>(details::thread_in_block() / Size,
                                               (details::threads_of_block() + Size - 1) / Size);
}
template <unsigned Size, unsigned Outer, typename Parent>
static __inline__ __device__ thread_block_tile<Size, thread_block_tile<Outer, Parent>>
tiled_partition(const thread_block_tile<Outer, Parent>& parent) {
  static_assert(Size <= Outer, "a tile has no more threads than what it is a tile of");
  return thread_block_tile<Size, thread_block_tile<Outer, Parent>>(parent.thread_rank() / Size,
                                                                   Outer / Size);
}

// The same with a size that is known only when the program runs.
static __inline__ __device__ coalesced_group tiled_partition(const coalesced_group& parent,
                                                             unsigned size) {
  const unsigned rank = parent.thread_rank() / size;
  unsigned mask = 0, left = parent.cuvette_mask();
  for (unsigned i = 0; left; ++i, left &= left - 1)
    if (i / size == rank) mask |= left & -left;
  return coalesced_group(mask, rank, (parent.size() + size - 1) / size);
}
static __inline__ __device__ thread_group tiled_partition(const thread_group& parent,
                                                          unsigned size) {
  const unsigned first = details::lane() / size * size;
  const unsigned mask = (size >= 32 ? ~0u : (1u << size) - 1) << first;
  return thread_group(false, mask, size, parent.thread_rank() % size);
}

// Threads with the same label. The groups are numbered by their first threads.
template <typename Group, typename Label>
static __inline__ __device__ coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mask = group.cuvette_mask(), same = __match_any_sync(mask, label) & mask;
  const unsigned first = same & -same;
  const unsigned firsts = __ballot_sync(mask, first == 1u << details::lane()) & mask;
  return coalesced_group(same, static_cast<unsigned>(__popc(firsts & (first - 1))),
                         static_cast<unsigned>(__popc(firsts)));
}

// Threads for which a condition is true, and those for which it is false.
template <typename Group>
static __inline__ __device__ coalesced_group binary_partition(const Group& group, bool condition) {
  const unsigned mask = group.cuvette_mask(), yes = __ballot_sync(mask, condition) & mask;
  return coalesced_group(condition ? yes : mask & ~yes, condition ? 1 : 0, 2);
}

// One of the group's threads does it; all get to know what came of it.
template <typename Group, typename F, typename... Arguments>
static __inline__ __device__ void invoke_one(const Group& group, F&& function,
                                             Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <typename Group, typename F, typename... Arguments>
static __inline__ __device__ auto invoke_one_broadcast(const Group& group, F&& function,
                                                       Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

template <typename Group>
static __inline__ __device__ void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif
