// SPDX-License-Identifier: Apache-2.0
// Bitonic sorting: in shared memory, in a warp's registers, and in steps over global memory.
#include "../corpus.hpp"

__device__ void order(int& a, int& b, bool up) {
  if ((a > b) == up) {
    const int old = a;
    a = b, b = old;
  }
}

__global__ void in_block(int* data) {
  __shared__ int s[1024];
  s[threadIdx.x] = data[blockIdx.x * 1024 + threadIdx.x];
  s[threadIdx.x + 512] = data[blockIdx.x * 1024 + threadIdx.x + 512];
  for (int size = 2; size <= 1024; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      const int at = 2 * threadIdx.x - (threadIdx.x & (d - 1));
      order(s[at], s[at + d], (at & size) == 0);
    }
  __syncthreads();
  data[blockIdx.x * 1024 + threadIdx.x] = s[threadIdx.x];
  data[blockIdx.x * 1024 + threadIdx.x + 512] = s[threadIdx.x + 512];
}

__global__ void one_step(unsigned long long* data, unsigned size, unsigned d) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ d;
  if (j <= i) return;
  const unsigned long long a = data[i], b = data[j];
  if ((a > b) == ((i & size) == 0)) data[i] = b, data[j] = a;
}

__global__ void in_warp(float* data) {
  float v = data[threadIdx.x];
  for (int size = 2; size <= 32; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      const float other = __shfl_xor_sync(~0u, v, d);
      const bool low = (threadIdx.x & d) == 0, up = (threadIdx.x & size) == 0;
      v = low == up ? fminf(v, other) : fmaxf(v, other);
    }
  data[threadIdx.x] = v;
}

int main() {
  Buffer<int> data(corpus::numbers(3072, 100000));
  RUN(in_block<<<3, 512>>>(data));
  corpus::show("block", data.read());
  std::vector<unsigned long long> host(4096);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<unsigned long long>(corpus::scramble(i)) << 20 ^ i;
  Buffer<unsigned long long> wide(host);
  for (unsigned size = 2; size <= 4096; size *= 2)
    for (unsigned d = size / 2; d > 0; d /= 2) RUN(one_step<<<16, 256>>>(wide, size, d));
  corpus::show("global", wide.read());
  Buffer<float> f(corpus::floats(32));
  RUN(in_warp<<<1, 32>>>(f));
  corpus::show("warp", f.read(), 32);
  return 0;
}
