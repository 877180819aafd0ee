// SPDX-License-Identifier: Apache-2.0
// Cooperative groups of the threads that are converged at a point, and of those with the same
// label.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__device__ int add_one(int* counter) {
  const auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
  return group.shfl(first, 0) + group.thread_rank();
}

__global__ void keep_multiples(const int* in, int* kept, int* counter, int n) {
  const int i = threadIdx.x;
  if (i < n && in[i] % 3 == 0) kept[add_one(counter)] = in[i];
}

__global__ void labels(const int* in, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int v = in[threadIdx.x];
  const auto same = cg::labeled_partition(warp, v % 5);
  const auto half = cg::binary_partition(warp, v % 2 == 0);
  int sum = cg::reduce(same, v, cg::plus<int>());
  const int most = cg::reduce(half, v, cg::greater<int>());
  if (v % 4 == 0) {
    const auto active = cg::coalesced_threads();
    sum += active.ballot(v > 50) + active.size() + active.shfl_up(v, 1) + active.any(v == 8) * 1000;
    const auto inner = cg::labeled_partition(active, v % 3);
    sum += inner.size() * 10000 + inner.thread_rank();
  }
  out[threadIdx.x] = sum * 100 + most + same.thread_rank() + half.size() + same.meta_group_size() +
                     half.meta_group_rank();
}

int main() {
  Buffer<int> in(corpus::numbers(32, 100)), kept(32), counter(1), out(64);
  RUN(keep_multiples<<<1, 32>>>(in, kept, counter, 30));
  printf("kept %d\n", counter(0));
  corpus::show("kept", kept.read(), 32);
  Buffer<int> more(corpus::numbers(64, 120, 3));
  RUN(labels<<<1, 64>>>(more, out));
  corpus::show("labels", out.read(), 64);
  return 0;
}
