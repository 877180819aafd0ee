// SPDX-License-Identifier: Apache-2.0
// Tiles of several warps, which synchronise through memory that the block provides.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

template <int size>
__global__ void large(const int* in, int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<size>(block);
  const int v = in[threadIdx.x];
  const int sum = cg::reduce(tile, v, cg::plus<int>());
  const int least = cg::reduce(tile, v, cg::less<int>());
  const int before = cg::exclusive_scan(tile, v);
  const bool any = tile.any(v == 17), all = tile.all(v < 900);
  const int from = tile.shfl(v, size / 2 + 1);
  tile.sync();
  out[threadIdx.x] =
      sum + least * 3 + before * 5 + any * 7 + all * 11 + from * 13 + tile.meta_group_rank();
}

int main() {
  Buffer<int> in(corpus::numbers(256, 901)), out(256);
  RUN(large<64><<<1, 256>>>(in, out));
  corpus::show("64", out.read());
  RUN(large<128><<<1, 256>>>(in, out));
  corpus::show("128", out.read());
  RUN(large<256><<<1, 256>>>(in, out));
  corpus::show("256", out.read());
  return 0;
}
