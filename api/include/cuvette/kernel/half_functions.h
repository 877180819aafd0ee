// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and functions of half and half2. Sums and products of halves are exact
// enough in float that rounding them again is rounding once; so the host computes them, and the
// device has instructions.
#ifndef CUVETTE_KERNEL_HALF_FUNCTIONS_H
#define CUVETTE_KERNEL_HALF_FUNCTIONS_H

#if defined(__CUDA_ARCH__)
#define CUVETTE_HALF_2(name, instruction, expression)                            \
  CUVETTE_HALF __half name(__half a, __half b) {                                 \
    unsigned short result;                                                       \
    __asm__(instruction " %0, %1, %2;" : "=h"(result) : "h"(a.__x), "h"(b.__x)); \
    return __ushort_as_half(result);                                             \
  }
#else
#define CUVETTE_HALF_2(name, instruction, expression)     \
  CUVETTE_HALF __half name(__half a, __half b) {          \
    const float x = __half2float(a), y = __half2float(b); \
    return __float2half_rn(expression);                   \
  }
#endif
CUVETTE_HALF_2(__hadd, "add.rn.f16", x + y)
CUVETTE_HALF_2(__hsub, "sub.rn.f16", x - y)
CUVETTE_HALF_2(__hmul, "mul.rn.f16", x* y)
CUVETTE_HALF_2(__hmin, "min.f16", fminf(x, y))
CUVETTE_HALF_2(__hmax, "max.f16", fmaxf(x, y))
#undef CUVETTE_HALF_2

CUVETTE_HALF __half __hdiv(__half a, __half b) {
  return __float2half_rn(__half2float(a) / __half2float(b));
}
CUVETTE_HALF __half __hneg(__half a) {
  return __ushort_as_half(static_cast<unsigned short>(a.__x ^ 0x8000));
}
CUVETTE_HALF __half __habs(__half a) {
  return __ushort_as_half(static_cast<unsigned short>(a.__x & 0x7fff));
}

// For the device alone: instructions that have no operator.
#define CUVETTE_HALF_2(name, instruction)                                        \
  static __inline__ __device__ __half name(__half a, __half b) {                 \
    unsigned short result;                                                       \
    __asm__(instruction " %0, %1, %2;" : "=h"(result) : "h"(a.__x), "h"(b.__x)); \
    return __ushort_as_half(result);                                             \
  }
#define CUVETTE_HALF_3(name, instruction)                                                        \
  static __inline__ __device__ __half name(__half a, __half b, __half c) {                       \
    unsigned short result;                                                                       \
    __asm__(instruction " %0, %1, %2, %3;" : "=h"(result) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
    return __ushort_as_half(result);                                                             \
  }
CUVETTE_HALF_2(__hadd_sat, "add.sat.f16")
CUVETTE_HALF_2(__hsub_sat, "sub.sat.f16")
CUVETTE_HALF_2(__hmul_sat, "mul.sat.f16")
CUVETTE_HALF_2(__hmin_nan, "min.NaN.f16")
CUVETTE_HALF_2(__hmax_nan, "max.NaN.f16")
CUVETTE_HALF_3(__hfma, "fma.rn.f16")
CUVETTE_HALF_3(__hfma_sat, "fma.rn.sat.f16")
CUVETTE_HALF_3(__hfma_relu, "fma.rn.relu.f16")
#undef CUVETTE_HALF_3
#undef CUVETTE_HALF_2

// Comparisons are false for a NaN; those that end in u are true.
#define CUVETTE_HALF_COMPARE(name, operation)                           \
  CUVETTE_HALF bool __h##name(__half a, __half b) {                     \
    return __half2float(a) operation __half2float(b);                   \
  }                                                                     \
  CUVETTE_HALF bool __h##name##u(__half a, __half b) {                  \
    const float x = __half2float(a), y = __half2float(b);               \
    return x != x || y != y || x operation y;                           \
  }                                                                     \
  CUVETTE_HALF bool __hb##name##2(__half2 a, __half2 b) {               \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                  \
  }                                                                     \
  CUVETTE_HALF __half2 __h##name##2(__half2 a, __half2 b) {             \
    return __floats2half2_rn(__h##name(a.x, b.x), __h##name(a.y, b.y)); \
  }
CUVETTE_HALF_COMPARE(eq, ==)
CUVETTE_HALF_COMPARE(lt, <)
CUVETTE_HALF_COMPARE(le, <=)
CUVETTE_HALF_COMPARE(gt, >)
CUVETTE_HALF_COMPARE(ge, >=)
#undef CUVETTE_HALF_COMPARE
CUVETTE_HALF bool __hne(__half a, __half b) {
  const float x = __half2float(a), y = __half2float(b);
  return x < y || x > y;
}
CUVETTE_HALF bool __hneu(__half a, __half b) { return __half2float(a) != __half2float(b); }
CUVETTE_HALF bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
CUVETTE_HALF int __hisinf(__half a) {
  return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1;
}

#define CUVETTE_HALF_OPERATOR(symbol, name)                                               \
  CUVETTE_HALF __half operator symbol(__half a, __half b) { return name(a, b); }          \
  CUVETTE_HALF __half& operator symbol##=(__half& a, __half b) { return a = name(a, b); } \
  CUVETTE_HALF __half2 name##2(__half2 a, __half2 b) {                                    \
    return __half2(name(a.x, b.x), name(a.y, b.y));                                       \
  }                                                                                       \
  CUVETTE_HALF __half2 operator symbol(__half2 a, __half2 b) { return name##2(a, b); }    \
  CUVETTE_HALF __half2& operator symbol##=(__half2& a, __half2 b) { return a = name##2(a, b); }
CUVETTE_HALF_OPERATOR(+, __hadd)
CUVETTE_HALF_OPERATOR(-, __hsub)
CUVETTE_HALF_OPERATOR(*, __hmul)
#undef CUVETTE_HALF_OPERATOR
CUVETTE_HALF __half operator/(__half a, __half b) { return __hdiv(a, b); }
CUVETTE_HALF __half& operator/=(__half& a, __half b) { return a = __hdiv(a, b); }
CUVETTE_HALF __half2 __h2div(__half2 a, __half2 b) {
  return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
CUVETTE_HALF __half2 operator/(__half2 a, __half2 b) { return __h2div(a, b); }
CUVETTE_HALF __half operator-(__half a) { return __hneg(a); }
CUVETTE_HALF __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
CUVETTE_HALF __half2 operator-(__half2 a) { return __hneg2(a); }
CUVETTE_HALF __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
CUVETTE_HALF __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
CUVETTE_HALF __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
CUVETTE_HALF bool operator==(__half a, __half b) { return __heq(a, b); }
CUVETTE_HALF bool operator!=(__half a, __half b) { return __hneu(a, b); }
CUVETTE_HALF bool operator<(__half a, __half b) { return __hlt(a, b); }
CUVETTE_HALF bool operator<=(__half a, __half b) { return __hle(a, b); }
CUVETTE_HALF bool operator>(__half a, __half b) { return __hgt(a, b); }
CUVETTE_HALF bool operator>=(__half a, __half b) { return __hge(a, b); }
static __inline__ __device__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

// Functions of one half, and of a pair.
#define CUVETTE_HALF_1(name, expression)                     \
  static __inline__ __device__ __half h##name(__half a) {    \
    const float x = __half2float(a);                         \
    return __float2half_rn(expression);                      \
  }                                                          \
  static __inline__ __device__ __half2 h2##name(__half2 a) { \
    return __half2(h##name(a.x), h##name(a.y));              \
  }
CUVETTE_HALF_1(ceil, ceilf(x))
CUVETTE_HALF_1(cos, cosf(x))
CUVETTE_HALF_1(exp, expf(x))
CUVETTE_HALF_1(exp10, exp10f(x))
CUVETTE_HALF_1(exp2, exp2f(x))
CUVETTE_HALF_1(floor, floorf(x))
CUVETTE_HALF_1(log, logf(x))
CUVETTE_HALF_1(log10, log10f(x))
CUVETTE_HALF_1(log2, log2f(x))
CUVETTE_HALF_1(rcp, 1 / x)
CUVETTE_HALF_1(rint, rintf(x))
CUVETTE_HALF_1(rsqrt, 1 / sqrtf(x))
CUVETTE_HALF_1(sin, sinf(x))
CUVETTE_HALF_1(sqrt, sqrtf(x))
CUVETTE_HALF_1(tanh, tanhf(x))
CUVETTE_HALF_1(trunc, truncf(x))
#undef CUVETTE_HALF_1

// Conversions in the four directions. `out` has the type that the register has.
#define CUVETTE_HALF_CVT(name, to, from, instruction, output, input, in, out) \
  static __inline__ __device__ to name(from a) {                              \
    decltype(out) result;                                                     \
    __asm__(instruction " %0, %1;" : output(result) : input(in));             \
    return __cuvette_half_of<to>(result);                                     \
  }
template <typename T, typename V>
static __inline__ __device__ T __cuvette_half_of(V value) {
  if constexpr (std::is_same<T, __half>::value)
    return __ushort_as_half(value);
  else
    return static_cast<T>(value);
}
#define CUVETTE_HALF_INTEGER(name, type, ptx, output, input, wide)                              \
  CUVETTE_HALF_CVT(__half2##name##_rd, type, __half, "cvt.rmi." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__half2##name##_rn, type, __half, "cvt.rni." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__half2##name##_ru, type, __half, "cvt.rpi." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__half2##name##_rz, type, __half, "cvt.rzi." ptx ".f16", output, "h", a.__x, \
                   wide())                                                                      \
  CUVETTE_HALF_CVT(__##name##2half_rd, __half, type, "cvt.rm.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))                                              \
  CUVETTE_HALF_CVT(__##name##2half_rn, __half, type, "cvt.rn.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))                                              \
  CUVETTE_HALF_CVT(__##name##2half_ru, __half, type, "cvt.rp.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))                                              \
  CUVETTE_HALF_CVT(__##name##2half_rz, __half, type, "cvt.rz.f16." ptx, "=h", input, a,         \
                   static_cast<unsigned short>(0))
typedef unsigned long long __cuvette_ull;
typedef long long __cuvette_ll;
typedef unsigned short __cuvette_ushort;
CUVETTE_HALF_INTEGER(short, short, "s16", "=h", "h", short)
CUVETTE_HALF_INTEGER(ushort, unsigned short, "u16", "=h", "h", __cuvette_ushort)
CUVETTE_HALF_INTEGER(int, int, "s32", "=r", "r", int)
CUVETTE_HALF_INTEGER(uint, unsigned, "u32", "=r", "r", unsigned)
CUVETTE_HALF_INTEGER(ll, long long, "s64", "=l", "l", __cuvette_ll)
CUVETTE_HALF_INTEGER(ull, unsigned long long, "u64", "=l", "l", __cuvette_ull)
#undef CUVETTE_HALF_INTEGER
static __inline__ __device__ __half __float2half_rd(float a) {
  unsigned short result;
  __asm__("cvt.rm.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return __ushort_as_half(result);
}
static __inline__ __device__ __half __float2half_ru(float a) {
  unsigned short result;
  __asm__("cvt.rp.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return __ushort_as_half(result);
}
static __inline__ __device__ __half __float2half_rz(float a) {
  unsigned short result;
  __asm__("cvt.rz.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return __ushort_as_half(result);
}
#undef CUVETTE_HALF_CVT
static __inline__ __device__ signed char __half2char_rz(__half a) {
  const int wide = __half2int_rz(a);
  return static_cast<signed char>(wide < -128 ? -128 : wide > 127 ? 127 : wide);
}
static __inline__ __device__ unsigned char __half2uchar_rz(__half a) {
  const int wide = __half2int_rz(a);
  return static_cast<unsigned char>(wide < 0 ? 0 : wide > 255 ? 255 : wide);
}

// Pairs with saturation; masks of comparisons; a product of complex numbers, added to one.
#define CUVETTE_HALF_PAIR(name, of_one)                             \
  static __inline__ __device__ __half2 name(__half2 a, __half2 b) { \
    return __half2(of_one(a.x, b.x), of_one(a.y, b.y));             \
  }
CUVETTE_HALF_PAIR(__hadd2_sat, __hadd_sat)
CUVETTE_HALF_PAIR(__hsub2_sat, __hsub_sat)
CUVETTE_HALF_PAIR(__hmul2_sat, __hmul_sat)
CUVETTE_HALF_PAIR(__hmin2_nan, __hmin_nan)
CUVETTE_HALF_PAIR(__hmax2_nan, __hmax_nan)
#undef CUVETTE_HALF_PAIR
#define CUVETTE_HALF_MASK(name)                                                             \
  static __inline__ __device__ unsigned __h##name##2_mask(__half2 a, __half2 b) {           \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  }
CUVETTE_HALF_MASK(eq)
CUVETTE_HALF_MASK(ne)
CUVETTE_HALF_MASK(lt)
CUVETTE_HALF_MASK(le)
CUVETTE_HALF_MASK(gt)
CUVETTE_HALF_MASK(ge)
#undef CUVETTE_HALF_MASK
static __inline__ __device__ __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                 __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// Values of other threads.
#define CUVETTE_HALF_SHUFFLE(name, source)                                                         \
  static __inline__ __device__ __half name(unsigned mask, __half a, source from, int width = 32) { \
    return __ushort_as_half(                                                                       \
        static_cast<unsigned short>(name(mask, static_cast<unsigned>(a.__x), from, width)));       \
  }                                                                                                \
  static __inline__ __device__ __half2 name(unsigned mask, __half2 a, source from,                 \
                                            int width = 32) {                                      \
    unsigned bits;                                                                                 \
    __builtin_memcpy(&bits, &a, sizeof bits);                                                      \
    bits = name(mask, bits, from, width);                                                          \
    __builtin_memcpy(&a, &bits, sizeof bits);                                                      \
    return a;                                                                                      \
  }
CUVETTE_HALF_SHUFFLE(__shfl_sync, int)
CUVETTE_HALF_SHUFFLE(__shfl_up_sync, unsigned)
CUVETTE_HALF_SHUFFLE(__shfl_down_sync, unsigned)
CUVETTE_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef CUVETTE_HALF_SHUFFLE

// Sums in memory: one half, or two that are each added at once.
static __inline__ __device__ __half atomicAdd(__half* place, __half value) {
  unsigned short before;
  __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;"
                   : "=h"(before)
                   : "l"(place), "h"(value.__x)
                   : "memory");
  return __ushort_as_half(before);
}
static __inline__ __device__ __half2 atomicAdd(__half2* place, __half2 value) {
  const __half x = atomicAdd(&place->x, value.x);
  return __half2(x, atomicAdd(&place->y, value.y));
}

#endif
