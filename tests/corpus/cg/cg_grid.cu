// SPDX-License-Identifier: Apache-2.0
// A grid whose blocks wait for each other: cooperative launch and grid.sync().
#include <cooperative_groups.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__global__ void sum(int* data, int* partial, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int me = grid.thread_rank(), all = grid.size();
  for (int round = 0; round < 3; ++round) {
    for (int i = me; i < n; i += all) data[i] += round + 1;
    grid.sync();
    int mine = 0;
    for (int i = me; i < n; i += all) mine += data[n - 1 - i];
    for (int d = 16; d; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&partial[round], mine);
    grid.sync();
    if (me == 0) partial[round] += partial[8 + round] = grid.num_blocks() * 1000 + grid.is_valid();
    grid.sync();
    for (int i = me; i < n; i += all) data[i] ^= partial[round] & 15;
    grid.sync();
  }
}

int main() {
  int n = 5000;
  Buffer<int> data(corpus::numbers(n, 50)), partial(16);
  int* a = data;
  int* b = partial;
  void* arguments[] = {&a, &b, &n};
  RUN(corpus::check(cudaLaunchCooperativeKernel(sum, dim3(8), dim3(128), arguments, 0, nullptr)));
  corpus::show("partial", partial.read(), 16);
  corpus::show("data", data.read());
  return 0;
}
