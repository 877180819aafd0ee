// SPDX-License-Identifier: Apache-2.0
// A single-pass scan: each block looks back at what earlier blocks have published.
#include "../corpus.hpp"

__device__ unsigned next_block;

__global__ void scan(const int* in, int* out, volatile long long* state, int n) {
  __shared__ unsigned block;
  __shared__ int sums[256], before;
  if (threadIdx.x == 0) block = atomicAdd(&next_block, 1);
  __syncthreads();
  const int i = block * 256 + threadIdx.x;
  int v = i < n ? in[i] : 0;
  sums[threadIdx.x] = v;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int below = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += below;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const long long total = sums[255];
    state[block] = 1ll << 40 | total;
    int sum = 0;
    for (int b = block - 1; b >= 0; --b) {
      long long seen;
      do seen = state[b];
      while (seen >> 40 == 0);
      sum += static_cast<int>(seen);
      if (seen >> 40 == 2) break;
    }
    state[block] = 2ll << 40 | (sum + total);
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + sums[threadIdx.x];
}

int main() {
  const int n = 20000;
  Buffer<int> in(corpus::numbers(n, 100)), out(n);
  Buffer<long long> state(80);
  RUN(scan<<<79, 256>>>(in, out, state, n));
  corpus::show("scan", out.read());
  printf("last %d\n", out(n - 1));
  return 0;
}
