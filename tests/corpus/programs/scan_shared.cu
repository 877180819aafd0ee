// SPDX-License-Identifier: Apache-2.0
// Prefix sums: Hillis and Steele's, Blelloch's, and one by warps.
#include "../corpus.hpp"

__global__ void hillis(const int* in, int* out) {
  __shared__ int buffer[2][512];
  int from = 0;
  const int t = threadIdx.x;
  buffer[0][t] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 512 + t] = buffer[from][t];
}

__global__ void blelloch(const int* in, int* out, int n) {
  extern __shared__ int values[];
  const int t = threadIdx.x;
  values[2 * t] = in[2 * t], values[2 * t + 1] = in[2 * t + 1];
  int offset = 1;
  for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) values[offset * (2 * t + 2) - 1] += values[offset * (2 * t + 1) - 1];
  }
  if (t == 0) values[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, old = values[a];
      values[a] = values[b];
      values[b] += old;
    }
  }
  __syncthreads();
  out[2 * t] = values[2 * t], out[2 * t + 1] = values[2 * t + 1];
}

__global__ void by_warps(const float* in, float* out) {
  __shared__ float totals[32];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  float v = in[t];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float below = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += below;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += totals[w];
  out[t] = v;
}

int main() {
  Buffer<int> in(corpus::numbers(2048, 100)), out(2048);
  RUN(hillis<<<4, 512>>>(in, out));
  corpus::show("hillis", out.read());
  RUN(blelloch<<<1, 1024, 2048 * sizeof(int)>>>(in, out, 2048));
  corpus::show("blelloch", out.read());
  Buffer<float> f(corpus::floats(320)), g(320);
  RUN(by_warps<<<1, 320>>>(f, g));
  corpus::show("warps", g.read());
  return 0;
}
