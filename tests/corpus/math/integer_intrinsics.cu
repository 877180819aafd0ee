// SPDX-License-Identifier: Apache-2.0
// Integer functions: counting and reversing bits, bytes, upper halves of products, dot products,
// funnel shifts.
#include "../corpus.hpp"

__global__ void bits(const unsigned* in, long long* out) {
  const int t = threadIdx.x;
  const unsigned a = in[t], b = in[t + 64];
  const int i = static_cast<int>(a), j = static_cast<int>(b);
  const unsigned long long w = static_cast<unsigned long long>(a) << 32 | b;
  long long* to = out + t;
  const auto put = [&](long long v) { *to = v, to += 64; };
  put(__clz(i)), put(__clzll(w)), put(__ffs(i)), put(__ffsll(w)), put(__popc(a)), put(__popcll(w)),
      put(__brev(a)), put(__brevll(w));
  put(__byte_perm(a, b, 0x3715)), put(__byte_perm(a, b, t * 0x1111)), put(__mulhi(i, j)),
      put(__umulhi(a, b)), put(__mul64hi(w, a * 7ll)), put(__umul64hi(w, w));
  put(__mul24(i, j)), put(__umul24(a, b)), put(__sad(i, j, 5)), put(__usad(a, b, 5u)),
      put(__hadd(i, j)), put(__rhadd(i, j)), put(__uhadd(a, b));
  put(__dp4a(i, j, 3)), put(__dp4a(a, b, 3u)), put(__dp2a_lo(i, j, 3)), put(__dp2a_hi(a, b, 3u));
  put(__funnelshift_l(a, b, t)), put(__funnelshift_r(a, b, t)), put(__funnelshift_lc(a, b, t)),
      put(__funnelshift_rc(a, b, t));
  put(abs(i)), put(llabs(static_cast<long long>(w))), put(min(i, j) + max(a, b)),
      put(__fns(a, t % 32, 2));
  put(a << t % 40), put(i >> t % 40), put(w >> t), put(a / (b | 1)), put(i % (j | 1)),
      put(static_cast<long long>(w) / (j | 1)), put(w % (b | 1));
  put(static_cast<short>(a) * static_cast<signed char>(b)),
      put(static_cast<unsigned short>(a) / (static_cast<unsigned char>(b) | 1));
}

int main() {
  std::vector<unsigned> host(128);
  for (int i = 0; i < 128; ++i)
    host[i] = i == 3 ? 0 : i == 5 ? ~0u : corpus::scramble(i) >> i % 5 * 5;
  Buffer<unsigned> in(host);
  Buffer<long long> out(64 * 42);
  RUN(bits<<<1, 64>>>(in, out));
  const auto all = out.read();
  for (int i = 0; i < 42; ++i)
    printf("%d: %lld %lld %lld %016llx\n", i, all[i * 64], all[i * 64 + 3], all[i * 64 + 40],
           corpus::digest(std::vector<long long>(all.begin() + i * 64, all.begin() + i * 64 + 64)));
  return 0;
}
