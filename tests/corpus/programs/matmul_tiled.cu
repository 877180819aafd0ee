// SPDX-License-Identifier: Apache-2.0
// Products of matrices by tiles in shared memory: one element per thread, and four by four
// elements.
#include "../corpus.hpp"

template <int tile>
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile + 1];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x,
            row = blockIdx.y * tile + y;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    as[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
    bs[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void blocked(const double* a, const double* b, double* c, int n) {
  __shared__ double as[16][64], bs[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  double sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 16 * 64; i += 256) {
      as[i / 64][i % 64] = a[(blockIdx.y * 64 + i % 64) * n + k + i / 64];
      bs[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) sums[r][s] += as[i][y * 4 + r] * bs[i][x * 4 + s];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 4; ++s)
      c[(blockIdx.y * 64 + y * 4 + r) * n + blockIdx.x * 64 + x * 4 + s] = sums[r][s];
}

int main() {
  const int n = 100;
  Buffer<float> a(corpus::floats(n * n, 1)), b(corpus::floats(n * n, 2)), c(n * n);
  RUN(product<16><<<dim3(7, 7), dim3(16, 16)>>>(a, b, c, n));
  corpus::show("16", c.read());
  RUN(product<32><<<dim3(4, 4), dim3(32, 32)>>>(a, b, c, n));
  corpus::show("32", c.read());
  RUN(product<10><<<dim3(10, 10), dim3(10, 10)>>>(a, b, c, n));
  corpus::show("10", c.read());
  std::vector<double> wide(128 * 128);
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = static_cast<double>(corpus::scramble(i) % 1000) / 64;
  Buffer<double> p(wide), q(wide), r(128 * 128);
  RUN(blocked<<<dim3(2, 2), 256>>>(p, q, r, 128));
  corpus::show("double", r.read());
  return 0;
}
