// SPDX-License-Identifier: Apache-2.0
// Histograms: atomics in shared memory, merged into global memory; and one copy for each warp.
#include "../corpus.hpp"

__global__ void count(const uchar4* in, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 v = in[i];
    atomicAdd(&mine[v.x], 1), atomicAdd(&mine[v.y], 1), atomicAdd(&mine[v.z], 1),
        atomicAdd(&mine[v.w], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (mine[i]) atomicAdd(&bins[i], mine[i]);
}

__global__ void by_warp(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned short mine[8][64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = lane; i < 64; i += 32) mine[warp][i] = 0;
  __syncwarp();
  for (int base = warp * 32; base < n; base += 8 * 32) {
    const int i = base + lane;
    const unsigned valid = __ballot_sync(~0u, i < n);
    if (i < n) {
      const unsigned bin = in[i] / 4, same = __match_any_sync(valid, bin);
      if (lane == __ffs(same) - 1) mine[warp][bin] += __popc(same);
    }
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += mine[w][threadIdx.x];
    bins[threadIdx.x] = sum;
  }
}

int main() {
  std::vector<unsigned char> data(40000);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<unsigned char>(corpus::scramble(i) % 97 * 2);
  Buffer<unsigned char> in(data);
  Buffer<unsigned> bins(256), few(64);
  RUN(count<<<6, 200>>>(reinterpret_cast<uchar4*>(in.get()), bins, 10000));
  corpus::show("256", bins.read(), 12);
  RUN(by_warp<<<1, 256>>>(in, few, 39991));
  corpus::show("64", few.read(), 12);
  return 0;
}
