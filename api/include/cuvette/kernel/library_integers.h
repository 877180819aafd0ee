// SPDX-License-Identifier: Apache-2.0
// The library's functions of whole numbers.
#ifndef CUVETTE_KERNEL_LIBRARY_INTEGERS_H
#define CUVETTE_KERNEL_LIBRARY_INTEGERS_H

CUVETTE_LIBRARY int __nv_abs(int a) { return a < 0 ? static_cast<int>(0u - a) : a; }
CUVETTE_LIBRARY long long __nv_llabs(long long a) {
  return a < 0 ? static_cast<long long>(0ull - a) : a;
}

CUVETTE_LIBRARY int __nv_min(int a, int b) { return a < b ? a : b; }
CUVETTE_LIBRARY int __nv_max(int a, int b) { return a > b ? a : b; }
CUVETTE_LIBRARY unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
CUVETTE_LIBRARY unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
CUVETTE_LIBRARY long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
CUVETTE_LIBRARY long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
CUVETTE_LIBRARY unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
CUVETTE_LIBRARY unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

CUVETTE_LIBRARY int __nv_brev(int a) { return static_cast<int>(__builtin_bitreverse32(a)); }
CUVETTE_LIBRARY long long __nv_brevll(long long a) {
  return static_cast<long long>(__builtin_bitreverse64(a));
}
CUVETTE_LIBRARY int __nv_popc(int a) { return __builtin_popcount(a); }
CUVETTE_LIBRARY int __nv_popcll(long long a) { return __builtin_popcountll(a); }
CUVETTE_LIBRARY int __nv_clz(int a) { return a ? __builtin_clz(a) : 32; }
CUVETTE_LIBRARY int __nv_clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
CUVETTE_LIBRARY int __nv_ffs(int a) { return a ? __builtin_ctz(a) + 1 : 0; }
CUVETTE_LIBRARY int __nv_ffsll(long long a) { return a ? __builtin_ctzll(a) + 1 : 0; }

CUVETTE_LIBRARY int __nv_byte_perm(int a, int b, int selector) {
  int result;
  __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector & 0x7777));
  return result;
}

// The upper half of a product.
CUVETTE_LIBRARY int __nv_mulhi(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
CUVETTE_LIBRARY unsigned __nv_umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
CUVETTE_LIBRARY long long __nv_mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
CUVETTE_LIBRARY unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}

// The product of the lower 24 bits.
CUVETTE_LIBRARY int __nv_mul24(int a, int b) {
  int result;
  __asm__("mul24.lo.s32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
CUVETTE_LIBRARY unsigned __nv_umul24(unsigned a, unsigned b) {
  return (a & 0xffffff) * (b & 0xffffff);
}

// The mean, rounded down (hadd) or up (rhadd), without overflow on the way.
CUVETTE_LIBRARY int __nv_hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
CUVETTE_LIBRARY int __nv_rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
CUVETTE_LIBRARY int __nv_uhadd(unsigned a, unsigned b) {
  return static_cast<int>((static_cast<unsigned long long>(a) + b) >> 1);
}
CUVETTE_LIBRARY unsigned __nv_urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// |a - b| + c
CUVETTE_LIBRARY int __nv_sad(int a, int b, int c) {
  return static_cast<int>((a > b ? static_cast<unsigned>(a) - b : static_cast<unsigned>(b) - a) +
                          c);
}
CUVETTE_LIBRARY unsigned __nv_usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}

#endif
