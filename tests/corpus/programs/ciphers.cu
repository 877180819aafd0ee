// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: digests and ciphers, which the host computes, too: MD5, SHA-1,
// SHA-512, AES, ChaCha20, CRC, SipHash, multiplication of large numbers.
#include "../same.hpp"

#define BOTH __host__ __device__
using U32 = unsigned;
using U64 = unsigned long long;

BOTH U32 left(U32 x, int n) { return x << n | x >> (32 - n); }
BOTH U64 left(U64 x, int n) { return x << n | x >> (64 - n); }
BOTH U64 right(U64 x, int n) { return x >> n | x << (64 - n); }

BOTH U64 md5(unsigned seed) {
  const int shifts[] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  U32 a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, words[16];
  for (int i = 0; i < 16; ++i) words[i] = corpus::scramble(seed * 16 + i);
  for (int i = 0; i < 64; ++i) {
    U32 f;
    int g;
    switch (i / 16) {
      case 0:
        f = (b & c) | (~b & d), g = i;
        break;
      case 1:
        f = (d & b) | (~d & c), g = (5 * i + 1) % 16;
        break;
      case 2:
        f = b ^ c ^ d, g = (3 * i + 5) % 16;
        break;
      default:
        f = c ^ (b | ~d), g = 7 * i % 16;
    }
    const U32 k = corpus::scramble(i * 99 + 1), t = d;
    d = c, c = b;
    b += left(a + f + k + words[g], shifts[i / 16 * 4 + i % 4]);
    a = t;
  }
  return static_cast<U64>(a ^ c) << 32 | (b + d);
}

BOTH U64 sha1(unsigned seed) {
  U32 w[80], h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (int i = 0; i < 16; ++i) w[i] = corpus::scramble(seed * 16 + i);
  for (int i = 16; i < 80; ++i) w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  U32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (int i = 0; i < 80; ++i) {
    const U32 f = i < 20   ? (b & c) | (~b & d)
                  : i < 40 ? b ^ c ^ d
                  : i < 60 ? (b & c) | (b & d) | (c & d)
                           : b ^ c ^ d;
    const U32 k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
    const U32 t = left(a, 5) + f + e + k + w[i];
    e = d, d = c, c = left(b, 30), b = a, a = t;
  }
  return static_cast<U64>(h[0] + a + c) << 32 | (h[1] + b + d + e);
}

BOTH U64 sha512(unsigned seed) {
  U64 w[80], s[8];
  for (int i = 0; i < 16; ++i)
    w[i] = static_cast<U64>(corpus::scramble(seed + i)) << 32 | corpus::scramble(seed * 3 + i);
  for (int i = 16; i < 80; ++i)
    w[i] = w[i - 16] + (right(w[i - 15], 1) ^ right(w[i - 15], 8) ^ w[i - 15] >> 7) + w[i - 7] +
           (right(w[i - 2], 19) ^ right(w[i - 2], 61) ^ w[i - 2] >> 6);
  for (int i = 0; i < 8; ++i) s[i] = 0x6a09e667f3bcc908ull * (i + 1);
  for (int i = 0; i < 80; ++i) {
    const U64 t1 = s[7] + (right(s[4], 14) ^ right(s[4], 18) ^ right(s[4], 41)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + 0x428a2f98d728ae22ull * (i + 3) + w[i];
    const U64 t2 = (right(s[0], 28) ^ right(s[0], 34) ^ right(s[0], 39)) +
                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += t1, s[0] = t1 + t2;
  }
  U64 r = 0;
  for (U64 x : s) r = r * 31 + x;
  return r;
}

// The S-box is computed instead of listed.
struct Box {
  unsigned char bytes[256];
};
BOTH unsigned char times(unsigned char a, unsigned char b) {
  unsigned char r = 0;
  for (; b; b >>= 1) {
    if (b & 1) r ^= a;
    a = static_cast<unsigned char>(a << 1 ^ (a & 0x80 ? 0x1b : 0));
  }
  return r;
}
BOTH unsigned char substituted(unsigned char x) {
  unsigned char inverse = 0;
  if (x) {
    inverse = 1;
    for (int k = 0; k < 254; ++k) inverse = times(inverse, x);
  }
  unsigned char r = 0x63;
  for (int k = 0; k < 5; ++k) r ^= static_cast<unsigned char>(inverse << k | inverse >> (8 - k));
  return r;
}
BOTH U64 aes(unsigned seed, const Box& box) {
  unsigned char state[16], keys[176];
  for (int i = 0; i < 16; ++i)
    state[i] = static_cast<unsigned char>(corpus::scramble(seed * 16 + i)),
    keys[i] = static_cast<unsigned char>(i * 11 + seed);
  unsigned char constant = 1;
  for (int i = 16; i < 176; i += 4) {
    unsigned char t[4];
    for (int k = 0; k < 4; ++k) t[k] = keys[i - 4 + k];
    if (i % 16 == 0) {
      const unsigned char first = t[0];
      for (int k = 0; k < 3; ++k) t[k] = box.bytes[t[k + 1]];
      t[3] = box.bytes[first], t[0] ^= constant, constant = times(constant, 2);
    }
    for (int k = 0; k < 4; ++k) keys[i + k] = keys[i - 16 + k] ^ t[k];
  }
  for (int i = 0; i < 16; ++i) state[i] ^= keys[i];
  for (int round = 1; round <= 10; ++round) {
    unsigned char next[16];
    for (int i = 0; i < 16; ++i) next[i] = box.bytes[state[(i + i % 4 * 4) % 16]];
    for (int c = 0; c < 4; ++c) {
      const unsigned char* const in = next + c * 4;
      for (int r = 0; r < 4; ++r)
        state[c * 4 + r] = round == 10 ? in[r]
                                       : times(in[r], 2) ^ times(in[(r + 1) % 4], 3) ^
                                             in[(r + 2) % 4] ^ in[(r + 3) % 4];
    }
    for (int i = 0; i < 16; ++i) state[i] ^= keys[round * 16 + i];
  }
  U64 r = 0;
  for (unsigned char x : state) r = r * 257 + x;
  return r;
}

BOTH void quarter(U32* s, int a, int b, int c, int d) {
  s[a] += s[b], s[d] = left(s[d] ^ s[a], 16), s[c] += s[d], s[b] = left(s[b] ^ s[c], 12);
  s[a] += s[b], s[d] = left(s[d] ^ s[a], 8), s[c] += s[d], s[b] = left(s[b] ^ s[c], 7);
}
BOTH U64 chacha(unsigned seed) {
  U32 s[16];
  for (int i = 0; i < 16; ++i) s[i] = corpus::scramble(seed + i * 1000);
  for (int k = 0; k < 10; ++k) {
    quarter(s, 0, 4, 8, 12), quarter(s, 1, 5, 9, 13), quarter(s, 2, 6, 10, 14),
        quarter(s, 3, 7, 11, 15);
    quarter(s, 0, 5, 10, 15), quarter(s, 1, 6, 11, 12), quarter(s, 2, 7, 8, 13),
        quarter(s, 3, 4, 9, 14);
  }
  U64 r = 0;
  for (U32 x : s) r = r * 31 + x;
  return r;
}
BOTH U64 crc(unsigned seed) {
  U32 c = ~0u;
  U64 wide = ~0ull;
  for (unsigned i = 0; i < 40 + seed % 20; ++i) {
    c ^= corpus::scramble(seed + i) & 0xff;
    wide ^= static_cast<U64>(corpus::scramble(seed + i) & 0xff) << 56;
    for (int k = 0; k < 8; ++k)
      c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1,
      wide = wide >> 63 ? wide << 1 ^ 0x42f0e1eba9ea3693ull : wide << 1;
  }
  return c ^ wide;
}
BOTH U64 siphash(unsigned seed) {
  U64 v[4] = {0x736f6d6570736575ull, 0x646f72616e646f6dull ^ seed, 0x6c7967656e657261ull,
              0x7465646279746573ull};
  for (int i = 0; i < 12; ++i) {
    const U64 m = static_cast<U64>(corpus::scramble(seed + i)) << 32 | i;
    v[3] ^= m;
    for (int k = 0; k < 2; ++k) {
      v[0] += v[1], v[1] = left(v[1], 13) ^ v[0], v[0] = left(v[0], 32), v[2] += v[3],
                    v[3] = left(v[3], 16) ^ v[2];
      v[0] += v[3], v[3] = left(v[3], 21) ^ v[0], v[2] += v[1], v[1] = left(v[1], 17) ^ v[2],
                    v[2] = left(v[2], 32);
    }
    v[0] ^= m;
  }
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
// 512 bits times 512 bits, modulo a prime of 61 bits.
BOTH U64 large(unsigned seed) {
  U32 a[16], b[16], product[32] = {};
  for (int i = 0; i < 16; ++i)
    a[i] = corpus::scramble(seed + i), b[i] = corpus::scramble(seed * 7 + i);
  for (int i = 0; i < 16; ++i) {
    U64 carry = 0;
    for (int k = 0; k < 16; ++k) {
      const U64 t = static_cast<U64>(a[i]) * b[k] + product[i + k] + carry;
      product[i + k] = static_cast<U32>(t), carry = t >> 32;
    }
    product[i + 16] = static_cast<U32>(carry);
  }
  const U64 prime = (1ull << 61) - 1;
  unsigned __int128 rest = 0;
  for (int i = 31; i >= 0; --i) rest = (rest << 32 | product[i]) % prime;
  return static_cast<U64>(rest);
}

int main() {
  Box box;
  for (int i = 0; i < 256; ++i) box.bytes[i] = substituted(static_cast<unsigned char>(i));
  SAME("md5", 500, [] BOTH(unsigned i) { return md5(i); });
  SAME("sha1", 500, [] BOTH(unsigned i) { return sha1(i); });
  SAME("sha512", 300, [] BOTH(unsigned i) { return sha512(i); });
  SAME("box", 256, [=] BOTH(unsigned i) -> U64 {
    return substituted(static_cast<unsigned char>(i)) * 256 + box.bytes[i];
  });
  SAME("aes", 300, [=] BOTH(unsigned i) { return aes(i, box); });
  SAME("chacha", 500, [] BOTH(unsigned i) { return chacha(i); });
  SAME("crc", 500, [] BOTH(unsigned i) { return crc(i); });
  SAME("siphash", 500, [] BOTH(unsigned i) { return siphash(i); });
  SAME("large", 300, [] BOTH(unsigned i) { return large(i); });
  return 0;
}
