// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: one thread of a group chosen to act, broadcasts, separate arrive and wait,
// groups as parameters.
#include <cooperative_groups.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

template <typename Group>
__device__ int add_up(const Group& group, int* memory, int v) {
  const int rank = static_cast<int>(group.thread_rank());
  for (int half = static_cast<int>(group.size()) / 2; half > 0; half /= 2) {
    memory[rank] = v;
    group.sync();
    if (rank < half) v += memory[rank + half];
    group.sync();
  }
  return v;
}

__global__ void all(const int* in, int* out) {
  __shared__ int memory[128];
  __shared__ int turns;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  if (block.thread_rank() == 0) turns = 0;
  block.sync();
  const int v = in[block.thread_rank()];
  const int sum = add_up(block, memory, v);
  block.sync();
  const int part = add_up(tile, memory + tile.meta_group_rank() * 32, v);
  cg::invoke_one(tile, [&] { atomicAdd(&turns, 10); });
  const int told = cg::invoke_one_broadcast(
      tile, [&] { return static_cast<int>(tile.meta_group_rank()) * 7 + 1; });
  auto token = block.barrier_arrive();
  const int meanwhile = v * v;
  block.barrier_wait(std::move(token));
  out[block.thread_rank()] = (block.thread_rank() == 0 ? sum : 0) +
                             (tile.thread_rank() == 0 ? part * 1000 : 0) + turns * 100000 + told +
                             meanwhile;
}

int main() {
  Buffer<int> in(corpus::numbers(128, 100)), out(128);
  RUN(all<<<1, 128>>>(in, out));
  corpus::show("out", out.read());
  return 0;
}
