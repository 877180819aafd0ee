// SPDX-License-Identifier: Apache-2.0
// Votes, matches, reductions and bit operations among the lanes of a warp.
#include "../corpus.hpp"

__global__ void votes(const int* in, unsigned* out) {
  const int v = in[threadIdx.x], t = threadIdx.x;
  unsigned result = __ballot_sync(~0u, v % 2);
  result = result * 31 + __any_sync(~0u, v == 40);
  result = result * 31 + __all_sync(~0u, v < 50);
  result = result * 31 + __match_any_sync(~0u, v % 6);
  int same = 0;
  result = result * 31 + __match_all_sync(~0u, v / 64, &same) + same;
  result = result * 31 + __match_any_sync(~0u, static_cast<long long>(v % 4) << 40);
  result = result * 31 + __match_any_sync(~0u, static_cast<float>(v % 3));
  if (v % 5 < 3) {
    result = result * 31 + __activemask();
    result = result * 31 + __ballot_sync(__activemask(), v > 20);
  }
  __syncwarp();
  out[t] = result;
}

__global__ void reductions(const int* in, unsigned* out) {
  const int v = in[threadIdx.x] - 20, lane = threadIdx.x % 32;
  unsigned result = __reduce_add_sync(~0u, v);
  result = result * 31 + __reduce_min_sync(~0u, v);
  result = result * 31 + __reduce_max_sync(~0u, v);
  result = result * 31 + __reduce_min_sync(~0u, static_cast<unsigned>(v));
  result = result * 31 + __reduce_and_sync(~0u, static_cast<unsigned>(v | 1));
  result = result * 31 + __reduce_or_sync(~0u, static_cast<unsigned>(v));
  result = result * 31 + __reduce_xor_sync(~0u, static_cast<unsigned>(v));
  if (lane < 10) result += __reduce_add_sync(0x3ff, v);
  out[threadIdx.x] = result;
}

__global__ void blocks(const int* in, int* out) {
  const int v = in[threadIdx.x];
  out[threadIdx.x] = __syncthreads_count(v % 3 == 0) * 100 + __syncthreads_and(v < 50) * 10 +
                     __syncthreads_or(v == 33);
}

int main() {
  Buffer<int> in(corpus::numbers(96, 50));
  Buffer<unsigned> out(96);
  Buffer<int> sums(96);
  RUN(votes<<<1, 96>>>(in, out));
  corpus::show("votes", out.read(), 32);
  RUN(reductions<<<1, 96>>>(in, out));
  corpus::show("reductions", out.read(), 4);
  RUN(blocks<<<1, 96>>>(in, sums));
  corpus::show("blocks", sums.read(), 4);
  return 0;
}
