// SPDX-License-Identifier: Apache-2.0
// libcu++'s standard library in kernels: bits, limits, sums, views of several dimensions, expected
// values.
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/cmath>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/utility>

#include "../corpus.hpp"

__global__ void bits(const unsigned* in, long long* out) {
  const unsigned v = in[threadIdx.x];
  cuda::std::bitset<40> set(v);
  set.flip(3);
  out[threadIdx.x] =
      cuda::std::popcount(v) + cuda::std::countl_zero(v) * 100 +
      cuda::std::countr_zero(v | 1u << 20) * 10000ll + cuda::std::bit_width(v) * 1000000ll +
      cuda::std::rotl(v, 5) % 97 + (cuda::std::has_single_bit(v) ? 1 : 0) +
      cuda::std::bit_cast<int>(1.5f) % 1000 + cuda::std::numeric_limits<short>::max() + set.count();
}

__device__ cuda::std::expected<int, char> divided(int a, int b) {
  if (b == 0) return cuda::std::unexpected<char>('z');
  return a / b;
}

__global__ void sequences(const int* data, int* out) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = data[(threadIdx.x * 8 + i) % 64];
  const int sum = cuda::std::accumulate(mine, mine + 8, 0),
            product = cuda::std::inner_product(mine, mine + 4, mine + 4, 1);
  cuda::std::iota(mine, mine + 3, 5);
  cuda::std::swap(mine[1], mine[6]);
  const cuda::std::mdspan<const int, cuda::std::extents<int, 8, 8>> square(data);
  const auto quotient = divided(sum, mine[7] % 3);
  out[threadIdx.x] = sum + product + mine[1] * 7 + square(threadIdx.x % 8, threadIdx.x / 8) * 100 +
                     (quotient ? *quotient : -quotient.error()) + cuda::std::gcd(sum + 1, 12) +
                     static_cast<int>(cuda::std::hypot(3.0, 4.0) + cuda::std::floor(2.5f)) +
                     cuda::std::multiplies<int>()(3, mine[0]);
}

int main() {
  std::vector<unsigned> host(64);
  for (int i = 0; i < 64; ++i) host[i] = corpus::scramble(i) >> i % 20;
  Buffer<unsigned> in(host);
  Buffer<long long> wide(64);
  RUN(bits<<<1, 64>>>(in, wide));
  corpus::show("bits", wide.read());
  Buffer<int> data(corpus::numbers(64, 100)), out(64);
  RUN(sequences<<<1, 64>>>(data, out));
  corpus::show("sequences", out.read());
  return 0;
}
