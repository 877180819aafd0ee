// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles of a block in every size, and what their threads exchange.
#include <cooperative_groups.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

template <int size>
__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<size>(block);
  const int rank = tile.thread_rank(), me = block.thread_rank();
  int sum = me * me % 31;
  for (int d = size / 2; d > 0; d /= 2) sum += tile.shfl_xor(sum, d);
  int prefix = me % 7;
  for (int d = 1; d < size; d *= 2) {
    const int below = tile.shfl_up(prefix, d);
    if (rank >= d) prefix += below;
  }
  const unsigned odd = tile.ballot(me % 3 == 1);
  const bool every = tile.all(me >= 0), some = tile.any(me == 5);
  const int first = tile.shfl(me, 0), next = tile.shfl_down(me, 1);
  const unsigned same = tile.match_any(me % 4);
  tile.sync();
  out[me] = sum * 1000003 + prefix * 10007 + odd * 101 + every * 13 + some * 7 + first + next +
            same + tile.meta_group_rank() * 3 + tile.meta_group_size() + tile.size();
}

__global__ void nested(int* out) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quad = cg::tiled_partition<4>(warp);
  const auto dynamic = cg::tiled_partition(block, 16);
  int value = block.thread_index().y * 100 + block.thread_index().x;
  value += quad.shfl(value, 3);
  dynamic.sync();
  block.sync();
  out[block.thread_rank()] =
      value + dynamic.thread_rank() + block.group_index().x + block.dim_threads().y;
}

int main() {
  Buffer<int> out(96);
  RUN(tiles<32><<<1, 96>>>(out));
  corpus::show("32", out.read());
  RUN(tiles<16><<<1, 96>>>(out));
  corpus::show("16", out.read());
  RUN(tiles<8><<<1, 96>>>(out));
  corpus::show("8", out.read());
  RUN(tiles<4><<<1, 96>>>(out));
  corpus::show("4", out.read());
  RUN(tiles<2><<<1, 96>>>(out));
  corpus::show("2", out.read());
  RUN(tiles<1><<<1, 96>>>(out));
  corpus::show("1", out.read());
  RUN(nested<<<1, dim3(12, 8)>>>(out));
  corpus::show("nested", out.read());
  return 0;
}
