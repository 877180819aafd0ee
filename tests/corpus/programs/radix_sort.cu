// SPDX-License-Identifier: Apache-2.0
// A stable radix sort with four-bit digits, which ranks by ballots and prefix sums.
#include "../corpus.hpp"

__global__ void sort(unsigned* keys, int* values, int n) {
  __shared__ unsigned k[2][512];
  __shared__ int v[2][512];
  __shared__ int counts[16][16], starts[16][16];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  k[0][t] = t < n ? keys[t] : ~0u;
  v[0][t] = t < n ? values[t] : -1;
  for (int shift = 0, from = 0; shift < 32; shift += 4, from ^= 1) {
    __syncthreads();
    const unsigned key = k[from][t], digit = key >> shift & 15;
    unsigned same = ~0u;
    for (int b = 0; b < 4; ++b) {
      const unsigned set = __ballot_sync(~0u, digit >> b & 1);
      same &= digit >> b & 1 ? set : ~set;
    }
    for (int d = lane; d < 16; d += 32) counts[d][warp] = 0;
    __syncwarp();
    const int rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0) counts[digit][warp] = __popc(same);
    __syncthreads();
    if (t == 0) {
      int sum = 0;
      for (int d = 0; d < 16; ++d)
        for (int w = 0; w < 16; ++w) starts[d][w] = sum, sum += counts[d][w];
    }
    __syncthreads();
    const int at = starts[digit][warp] + rank;
    k[from ^ 1][at] = key;
    v[from ^ 1][at] = v[from][t];
  }
  __syncthreads();
  if (t < n) keys[t] = k[0][t], values[t] = v[0][t];
}

int main() {
  std::vector<unsigned> host(500);
  std::vector<int> order(500);
  for (int i = 0; i < 500; ++i) host[i] = corpus::scramble(i) & 0xff00ffff, order[i] = i;
  Buffer<unsigned> keys(host);
  Buffer<int> values(order);
  RUN(sort<<<1, 512>>>(keys, values, 500));
  corpus::show("keys", keys.read());
  corpus::show("values", values.read());
  return 0;
}
