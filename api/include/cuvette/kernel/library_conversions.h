// SPDX-License-Identifier: Apache-2.0
// The library's conversions between numbers, and between numbers and their bits.
#ifndef CUVETTE_KERNEL_LIBRARY_CONVERSIONS_H
#define CUVETTE_KERNEL_LIBRARY_CONVERSIONS_H

// One conversion: its name, types, the instruction, and how assembly calls registers of the types.
#define CUVETTE_CONVERT(name, to, from, instruction, to_register, from_register) \
  CUVETTE_LIBRARY to __nv_##name(from a) {                                       \
    to result;                                                                   \
    __asm__(instruction " %0, %1;" : to_register(result) : from_register(a));    \
    return result;                                                               \
  }
// In the four directions. Integers that come of a number are rounded with "i".
#define CUVETTE_CONVERT_TO_INTEGER(name, to, from, types, to_register, from_register) \
  CUVETTE_CONVERT(name##_rd, to, from, "cvt.rmi." types, to_register, from_register)  \
  CUVETTE_CONVERT(name##_rn, to, from, "cvt.rni." types, to_register, from_register)  \
  CUVETTE_CONVERT(name##_ru, to, from, "cvt.rpi." types, to_register, from_register)  \
  CUVETTE_CONVERT(name##_rz, to, from, "cvt.rzi." types, to_register, from_register)
#define CUVETTE_CONVERT_ROUNDED(name, to, from, types, to_register, from_register)  \
  CUVETTE_CONVERT(name##_rd, to, from, "cvt.rm." types, to_register, from_register) \
  CUVETTE_CONVERT(name##_rn, to, from, "cvt.rn." types, to_register, from_register) \
  CUVETTE_CONVERT(name##_ru, to, from, "cvt.rp." types, to_register, from_register) \
  CUVETTE_CONVERT(name##_rz, to, from, "cvt.rz." types, to_register, from_register)

CUVETTE_CONVERT_TO_INTEGER(float2int, int, float, "s32.f32", "=r", "f")
CUVETTE_CONVERT_TO_INTEGER(float2uint, unsigned, float, "u32.f32", "=r", "f")
CUVETTE_CONVERT_TO_INTEGER(float2ll, long long, float, "s64.f32", "=l", "f")
CUVETTE_CONVERT_TO_INTEGER(float2ull, unsigned long long, float, "u64.f32", "=l", "f")
CUVETTE_CONVERT_TO_INTEGER(double2int, int, double, "s32.f64", "=r", "d")
CUVETTE_CONVERT_TO_INTEGER(double2uint, unsigned, double, "u32.f64", "=r", "d")
CUVETTE_CONVERT_TO_INTEGER(double2ll, long long, double, "s64.f64", "=l", "d")
CUVETTE_CONVERT_TO_INTEGER(double2ull, unsigned long long, double, "u64.f64", "=l", "d")

CUVETTE_CONVERT_ROUNDED(double2float, float, double, "f32.f64", "=f", "d")
CUVETTE_CONVERT_ROUNDED(int2float, float, int, "f32.s32", "=f", "r")
CUVETTE_CONVERT_ROUNDED(uint2float, float, unsigned, "f32.u32", "=f", "r")
CUVETTE_CONVERT_ROUNDED(ll2float, float, long long, "f32.s64", "=f", "l")
CUVETTE_CONVERT_ROUNDED(ull2float, float, unsigned long long, "f32.u64", "=f", "l")
CUVETTE_CONVERT_ROUNDED(ll2double, double, long long, "f64.s64", "=d", "l")
CUVETTE_CONVERT_ROUNDED(ull2double, double, unsigned long long, "f64.u64", "=d", "l")
#undef CUVETTE_CONVERT_ROUNDED
#undef CUVETTE_CONVERT_TO_INTEGER
#undef CUVETTE_CONVERT

CUVETTE_LIBRARY double __nv_int2double_rn(int a) { return a; }
CUVETTE_LIBRARY double __nv_uint2double_rn(unsigned a) { return a; }

CUVETTE_LIBRARY unsigned short __nv_float2half_rn(float a) {
  unsigned short result;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(a));
  return result;
}
CUVETTE_LIBRARY float __nv_half2float(unsigned short a) {
  float result;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(a));
  return result;
}

// The bits of a number, and the number with these bits.
#define CUVETTE_BITS(name, to, from)         \
  CUVETTE_LIBRARY to __nv_##name(from a) {   \
    to result;                               \
    __builtin_memcpy(&result, &a, sizeof a); \
    return result;                           \
  }
CUVETTE_BITS(float_as_int, int, float)
CUVETTE_BITS(float_as_uint, unsigned, float)
CUVETTE_BITS(int_as_float, float, int)
CUVETTE_BITS(uint_as_float, float, unsigned)
CUVETTE_BITS(double_as_longlong, unsigned long long, double)
CUVETTE_BITS(longlong_as_double, double, long long)
#undef CUVETTE_BITS

CUVETTE_LIBRARY int __nv_double2hiint(double a) {
  return static_cast<int>(__nv_double_as_longlong(a) >> 32);
}
CUVETTE_LIBRARY int __nv_double2loint(double a) {
  return static_cast<int>(__nv_double_as_longlong(a));
}
CUVETTE_LIBRARY double __nv_hiloint2double(int high, int low) {
  return __nv_longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(high) << 32 | static_cast<unsigned>(low)));
}

#endif
