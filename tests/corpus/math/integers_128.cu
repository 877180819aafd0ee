// SPDX-License-Identifier: Apache-2.0
// Integers of 64 and 128 bits: products, quotients, shifts, Fibonacci numbers, modular powers.
#include "../corpus.hpp"

using u128 = unsigned __int128;

__device__ unsigned long long power(unsigned long long base, unsigned long long exponent,
                                    unsigned long long modulus) {
  unsigned long long result = 1;
  for (base %= modulus; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = static_cast<unsigned long long>(static_cast<u128>(result) * base % modulus);
    base = static_cast<unsigned long long>(static_cast<u128>(base) * base % modulus);
  }
  return result;
}

__global__ void all(const unsigned* in, unsigned long long* out) {
  const int t = threadIdx.x;
  const u128 a = static_cast<u128>(in[t]) << 70 | in[t + 1],
             b = static_cast<u128>(in[t + 2]) << 20 | 12345;
  const __int128 s = -static_cast<__int128>(a);
  unsigned long long* to = out + t;
  const auto put = [&](u128 v) {
    *to = static_cast<unsigned long long>(v >> 64), to += 64,
    *to = static_cast<unsigned long long>(v), to += 64;
  };
  put(a + b), put(a - b), put(a * b), put(a / b), put(a % b), put(a << t), put(a >> t * 2),
      put(s >> 33), put(s / static_cast<long long>(b)), put(a ^ ~b), put(s < 0 ? s * 3 : s);
  u128 x = 0, y = 1;
  for (int i = 0; i < 60 + t; ++i) {
    const u128 z = x + y;
    x = y, y = z;
  }
  put(x);
  put(power(3, in[t], 1000000007ull * 998244353ull));
  put(static_cast<u128>(static_cast<double>(a)));
}

int main() {
  std::vector<unsigned> host(80);
  for (int i = 0; i < 80; ++i) host[i] = corpus::scramble(i) | 1;
  Buffer<unsigned> in(host);
  Buffer<unsigned long long> out(64 * 28);
  RUN(all<<<1, 64>>>(in, out));
  const auto v = out.read();
  for (int i = 0; i < 28; i += 2)
    printf("%016llx%016llx %016llx%016llx\n", v[i * 64 + 1], v[i * 64 + 65], v[i * 64 + 50],
           v[i * 64 + 114]);
  printf("%016llx\n", corpus::digest(v));
  return 0;
}
