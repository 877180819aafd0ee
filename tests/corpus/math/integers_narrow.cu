// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: arithmetic of narrow and wide integers, bit fields, unions,
// division and remainder in every width.
#include "../same.hpp"

#define BOTH __host__ __device__
using U64 = unsigned long long;
using S64 = long long;

BOTH U64 random64(unsigned i) {
  const U64 all = static_cast<U64>(corpus::scramble(i)) << 32 | corpus::scramble(i * 3 + 1);
  // Numbers of every magnitude, and numbers near the limits of the range.
  switch (i % 9) {
    case 0:
      return all >> i % 64;
    case 1:
      return ~(all >> i % 64);
    case 2:
      return 1ull << i % 64;
    case 3:
      return (1ull << i % 64) - 1;
    case 4:
      return 0x8000000000000000ull + i % 5 - 2;
    case 5:
      return i % 7;
    case 6:
      return 0ull - i % 7;
    default:
      return all;
  }
}

template <typename T>
BOTH U64 divided(unsigned i) {
  const T a = static_cast<T>(random64(i)), b = static_cast<T>(random64(i * 5 + 2));
  if (b == 0) return 7;
  if (T(-1) < T(0) && b == T(-1)) return 8;
  return static_cast<U64>(a / b) * 3 + static_cast<U64>(a % b) + static_cast<U64>(a / T(7)) * 5 +
         static_cast<U64>(a % T(10)) + static_cast<U64>(T(100) / b) + static_cast<U64>(a / T(64)) +
         static_cast<U64>(a % T(8));
}

template <typename T>
BOTH U64 narrow(unsigned i) {
  T a = static_cast<T>(random64(i)), b = static_cast<T>(random64(i + 1000));
  U64 r = 0;
  a += b, r = r * 31 + a;
  a = static_cast<T>(static_cast<unsigned>(a) * static_cast<unsigned>(b)), r = r * 31 + a;
  a -= 100, r = r * 31 + a;
  a <<= 1, r = r * 31 + static_cast<unsigned>(a);
  a >>= 2, r = r * 31 + static_cast<unsigned>(a);
  a ^= b, r = r * 31 + a;
  ++a, r = r * 31 + a;
  a = static_cast<T>(-a), r = r * 31 + a;
  a = static_cast<T>(~a), r = r * 31 + a;
  r = r * 31 + (a < b) + 2 * (a == b) + 4 * (a >= 17);
  a = a > b ? a : b;
  r = r * 31 + a;
  return r;
}

struct Fields {
  unsigned a : 3;
  int b : 5;
  unsigned c : 11;
  int d : 13;
  unsigned long long e : 37;
  long long f : 20;
  bool g : 1;
  unsigned char h : 4, k : 4;
};

BOTH U64 fields(unsigned i) {
  Fields x{};
  x.a = i, x.b = static_cast<int>(i * 3) % 16, x.c = i * 77, x.d = -static_cast<int>(i % 4096);
  x.e = random64(i), x.f = static_cast<S64>(i) - 500, x.g = i % 2, x.h = i % 16, x.k = i / 16 % 16;
  ++x.a, x.c += 5, x.e *= 3, --x.f, x.h ^= 5;
  U64 r = x.a;
  r = r * 131 + x.b, r = r * 131 + x.c, r = r * 131 + x.d, r = r * 131 + x.e, r = r * 131 + x.f;
  return r * 131 + x.g * 100 + x.h + x.k * 16;
}

union Punned {
  double d;
  U64 u;
  unsigned words[2];
  unsigned short halves[4];
  unsigned char bytes[8];
  struct {
    unsigned char first;
    unsigned char rest[7];
  };
};

BOTH U64 punned(unsigned i) {
  Punned p;
  p.d = i * 0.375 - 5;
  p.bytes[i % 8] ^= i;
  p.halves[i % 4] += 3;
  p.words[i % 2] *= 5;
  Punned q = p;
  q.first = p.rest[i % 7];
  return p.u ^ q.u * 3;
}

BOTH U64 wide(unsigned i) {
  unsigned __int128 a = static_cast<unsigned __int128>(random64(i)) << 64 | random64(i + 7);
  unsigned __int128 b = static_cast<unsigned __int128>(random64(i + 13)) << 64 | random64(i + 29);
  b >>= i % 128;
  if (b == 0) b = 3;
  const unsigned __int128 q = a / b, r = a % b;
  __int128 s = static_cast<__int128>(a) >> 3, t = static_cast<__int128>(b >> 1);
  if (t == 0) t = 5;
  const __int128 sq = s / t, sr = s % t;
  unsigned __int128 mixed = q * 3 + r + static_cast<unsigned __int128>(sq) * 7 +
                            static_cast<unsigned __int128>(sr) + (a << i % 128) + (a * b ^ ~b);
  mixed += (a < b) + 2 * (s < t) + 4 * (a == b);
  return static_cast<U64>(mixed) ^ static_cast<U64>(mixed >> 64) * 3;
}

BOTH U64 shifts(unsigned i) {
  const U64 u = random64(i);
  const S64 s = static_cast<S64>(u);
  const int n = i % 64, m = i % 32;
  const unsigned w = static_cast<unsigned>(u);
  const int sw = static_cast<int>(w);
  return (u << n) + (u >> n) * 3 + static_cast<U64>(s >> n) * 5 + (w << m) * 7ull +
         (w >> m) * 11ull + static_cast<U64>(sw >> m) * 13 + (w << m | w >> (32 - m) % 32) +
         (u << n | u >> (64 - n) % 64) * 17;
}

BOTH U64 conversions(unsigned i) {
  const U64 u = random64(i);
  const S64 s = static_cast<S64>(u);
  U64 r = static_cast<U64>(static_cast<signed char>(u)) + static_cast<unsigned char>(u) * 3ull +
          static_cast<U64>(static_cast<short>(u)) * 5 + static_cast<unsigned short>(u) * 7ull +
          static_cast<U64>(static_cast<int>(u)) * 11 + static_cast<unsigned>(u) * 13ull;
  const double d = static_cast<double>(u), e = static_cast<double>(s);
  const float f = static_cast<float>(u), g = static_cast<float>(s),
              h = static_cast<float>(static_cast<int>(u)),
              k = static_cast<float>(static_cast<unsigned>(u));
  Punned a, b;
  a.d = d, b.d = e;
  r ^= a.u * 17 ^ b.u * 19;
  a.d = static_cast<double>(f) + g, b.d = static_cast<double>(h) - k;
  r ^= a.u * 23 ^ b.u * 29;
  r += static_cast<U64>(static_cast<S64>(static_cast<double>(s >> 2)));
  r += static_cast<U64>(static_cast<int>(static_cast<float>(s >> 34)) * 3ll);
  r += static_cast<unsigned char>(static_cast<float>(u >> 57));
  r += static_cast<U64>(static_cast<short>(static_cast<double>(s >> 50)));
  return r + static_cast<bool>(u % 3) + (u ? 5 : 6) + !s;
}

BOTH U64 power(U64 base, U64 exponent, U64 modulus) {
  U64 r = 1;
  for (base %= modulus; exponent; exponent >>= 1) {
    if (exponent & 1) r = static_cast<U64>(static_cast<unsigned __int128>(r) * base % modulus);
    base = static_cast<U64>(static_cast<unsigned __int128>(base) * base % modulus);
  }
  return r;
}

// The Miller-Rabin test.
BOTH U64 prime(unsigned i) {
  const U64 n = 1000000000000000003ull + 2 * i;
  U64 d = n - 1;
  int twos = 0;
  while (d % 2 == 0) d /= 2, ++twos;
  const U64 bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (U64 base : bases) {
    U64 x = power(base, d, n);
    if (x == 1 || x == n - 1) continue;
    bool composite = true;
    for (int k = 1; k < twos && composite; ++k) {
      x = static_cast<U64>(static_cast<unsigned __int128>(x) * x % n);
      if (x == n - 1) composite = false;
    }
    if (composite) return base;
  }
  return 0;
}

BOTH U64 gcd(U64 a, U64 b) { return b == 0 ? a : gcd(b, a % b); }

int main() {
  SAME("s8", 4000, [] BOTH(unsigned i) { return narrow<signed char>(i); });
  SAME("u8", 4000, [] BOTH(unsigned i) { return narrow<unsigned char>(i); });
  SAME("s16", 4000, [] BOTH(unsigned i) { return narrow<short>(i); });
  SAME("u16", 4000, [] BOTH(unsigned i) { return narrow<unsigned short>(i); });
  SAME("divided s8", 4000, [] BOTH(unsigned i) { return divided<signed char>(i); });
  SAME("divided u8", 4000, [] BOTH(unsigned i) { return divided<unsigned char>(i); });
  SAME("divided s16", 4000, [] BOTH(unsigned i) { return divided<short>(i); });
  SAME("divided u16", 4000, [] BOTH(unsigned i) { return divided<unsigned short>(i); });
  SAME("divided s32", 4000, [] BOTH(unsigned i) { return divided<int>(i); });
  SAME("divided u32", 4000, [] BOTH(unsigned i) { return divided<unsigned>(i); });
  SAME("divided s64", 4000, [] BOTH(unsigned i) { return divided<S64>(i); });
  SAME("divided u64", 4000, [] BOTH(unsigned i) { return divided<U64>(i); });
  SAME("bit fields", 2000, [] BOTH(unsigned i) { return fields(i); });
  SAME("union", 2000, [] BOTH(unsigned i) { return punned(i); });
  SAME("128 bits", 2000, [] BOTH(unsigned i) { return wide(i); });
  SAME("shifts", 4000, [] BOTH(unsigned i) { return shifts(i); });
  SAME("conversions", 4000, [] BOTH(unsigned i) { return conversions(i); });
  SAME("primes", 300, [] BOTH(unsigned i) { return prime(i); });
  SAME("gcd", 1000, [] BOTH(unsigned i) { return gcd(random64(i), random64(i * 7 + 3)); });
  return 0;
}
