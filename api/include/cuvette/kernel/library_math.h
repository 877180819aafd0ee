// SPDX-License-Identifier: Apache-2.0
// The library's functions of double. Anything longer than a few instructions is a function of the
// machine: __cuvette_... has no body in PTX, and no other device knows it.
#ifndef CUVETTE_KERNEL_LIBRARY_MATH_H
#define CUVETTE_KERNEL_LIBRARY_MATH_H

#define CUVETTE_MACHINE_1(name)                                                 \
  extern "C" __device__ __attribute__((const)) double __cuvette_##name(double); \
  CUVETTE_LIBRARY double __nv_##name(double a) { return __cuvette_##name(a); }
#define CUVETTE_MACHINE_2(name)                                                         \
  extern "C" __device__ __attribute__((const)) double __cuvette_##name(double, double); \
  CUVETTE_LIBRARY double __nv_##name(double a, double b) { return __cuvette_##name(a, b); }
CUVETTE_MACHINE_1(acos)
CUVETTE_MACHINE_1(acosh)
CUVETTE_MACHINE_1(asin)
CUVETTE_MACHINE_1(asinh)
CUVETTE_MACHINE_1(atan)
CUVETTE_MACHINE_1(atanh)
CUVETTE_MACHINE_1(cbrt)
CUVETTE_MACHINE_1(cos)
CUVETTE_MACHINE_1(cosh)
CUVETTE_MACHINE_1(cospi)
CUVETTE_MACHINE_1(cyl_bessel_i0)
CUVETTE_MACHINE_1(cyl_bessel_i1)
CUVETTE_MACHINE_1(erf)
CUVETTE_MACHINE_1(erfc)
CUVETTE_MACHINE_1(erfcinv)
CUVETTE_MACHINE_1(erfcx)
CUVETTE_MACHINE_1(erfinv)
CUVETTE_MACHINE_1(exp)
CUVETTE_MACHINE_1(exp10)
CUVETTE_MACHINE_1(exp2)
CUVETTE_MACHINE_1(expm1)
CUVETTE_MACHINE_1(j0)
CUVETTE_MACHINE_1(j1)
CUVETTE_MACHINE_1(lgamma)
CUVETTE_MACHINE_1(log)
CUVETTE_MACHINE_1(log10)
CUVETTE_MACHINE_1(log1p)
CUVETTE_MACHINE_1(log2)
CUVETTE_MACHINE_1(normcdf)
CUVETTE_MACHINE_1(normcdfinv)
CUVETTE_MACHINE_1(rcbrt)
CUVETTE_MACHINE_1(sin)
CUVETTE_MACHINE_1(sinh)
CUVETTE_MACHINE_1(sinpi)
CUVETTE_MACHINE_1(tan)
CUVETTE_MACHINE_1(tanh)
CUVETTE_MACHINE_1(tgamma)
CUVETTE_MACHINE_1(y0)
CUVETTE_MACHINE_1(y1)
CUVETTE_MACHINE_1(rsqrt)
CUVETTE_MACHINE_2(atan2)
CUVETTE_MACHINE_2(fmod)
CUVETTE_MACHINE_2(hypot)
CUVETTE_MACHINE_2(pow)
CUVETTE_MACHINE_2(remainder)
#undef CUVETTE_MACHINE_2
#undef CUVETTE_MACHINE_1

// The first argument is the order, a whole number.
extern "C" __device__ __attribute__((const)) double __cuvette_jn(double order, double a);
extern "C" __device__ __attribute__((const)) double __cuvette_yn(double order, double a);
CUVETTE_LIBRARY double __nv_jn(int order, double a) { return __cuvette_jn(order, a); }
CUVETTE_LIBRARY double __nv_yn(int order, double a) { return __cuvette_yn(order, a); }

// The length of a vector of four, and one divided by it.
extern "C" __device__ __attribute__((const)) double __cuvette_norm4d(double, double, double,
                                                                     double);
extern "C" __device__ __attribute__((const)) double __cuvette_rnorm4d(double, double, double,
                                                                      double);
CUVETTE_LIBRARY double __nv_norm4d(double a, double b, double c, double d) {
  return __cuvette_norm4d(a, b, c, d);
}
CUVETTE_LIBRARY double __nv_rnorm4d(double a, double b, double c, double d) {
  return __cuvette_rnorm4d(a, b, c, d);
}
CUVETTE_LIBRARY double __nv_norm3d(double a, double b, double c) {
  return __cuvette_norm4d(a, b, c, 0);
}
CUVETTE_LIBRARY double __nv_rnorm3d(double a, double b, double c) {
  return __cuvette_rnorm4d(a, b, c, 0);
}
CUVETTE_LIBRARY double __nv_rhypot(double a, double b) { return __cuvette_rnorm4d(a, b, 0, 0); }
CUVETTE_LIBRARY double __nv_norm(int count, const double* values) {
  double length = 0;
  for (int i = 0; i < count; ++i) length = __cuvette_hypot(length, values[i]);
  return length;
}
CUVETTE_LIBRARY double __nv_rnorm(int count, const double* values) {
  return 1 / __nv_norm(count, values);
}

CUVETTE_LIBRARY void __nv_sincos(double a, double* sine, double* cosine) {
  *sine = __cuvette_sin(a);
  *cosine = __cuvette_cos(a);
}
CUVETTE_LIBRARY void __nv_sincospi(double a, double* sine, double* cosine) {
  *sine = __cuvette_sinpi(a);
  *cosine = __cuvette_cospi(a);
}
CUVETTE_LIBRARY double __nv_powi(double a, int b) { return __cuvette_pow(a, b); }

CUVETTE_LIBRARY int __nv_isnand(double a) { return a != a; }
CUVETTE_LIBRARY int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
CUVETTE_LIBRARY int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
CUVETTE_LIBRARY int __nv_signbitd(double a) { return __nv_double2hiint(a) < 0; }
CUVETTE_LIBRARY double __nv_nan(const signed char*) {
  return __nv_longlong_as_double(0x7ff8000000000000);
}

// To the nearest whole number, away from zero when halfway.
CUVETTE_LIBRARY double __nv_round(double a) {
  const double whole = __nv_trunc(a);
  const double away = __nv_fabs(a - whole) >= 0.5 ? whole + __nv_copysign(1.0, a) : whole;
  return __nv_copysign(away, a);
}
CUVETTE_LIBRARY long long __nv_llround(double a) { return __nv_double2ll_rz(__nv_round(a)); }
CUVETTE_LIBRARY long long __nv_llrint(double a) { return __nv_double2ll_rn(a); }

CUVETTE_LIBRARY double __nv_fdim(double a, double b) {
  if (a != a || b != b) return a + b;
  return a > b ? a - b : 0.0;
}

CUVETTE_LIBRARY double __nv_modf(double a, double* whole) {
  *whole = __nv_trunc(a);
  const double rest = __nv_isinfd(a) ? 0.0 : a - *whole;
  return __nv_copysign(rest, a);
}

// The exponent of a finite number other than 0, and the number without it, between 1 and 2.
extern "C++" inline __device__ int __cuvette_split(double a, double& rest) {
  int offset = 1023;
  if (__nv_fabs(a) < 0x1p-1022) {
    a *= 0x1p54;
    offset += 54;
  }
  const unsigned long long bits = __nv_double_as_longlong(a);
  rest = __nv_longlong_as_double(
      static_cast<long long>((bits & 0x800fffffffffffff) | 0x3ff0000000000000));
  return static_cast<int>(bits >> 52 & 0x7ff) - offset;
}

CUVETTE_LIBRARY double __nv_frexp(double a, int* exponent) {
  *exponent = 0;
  if (a == 0 || !__nv_isfinited(a)) return a + a;
  double rest;
  *exponent = __cuvette_split(a, rest) + 1;
  return rest / 2;
}

CUVETTE_LIBRARY int __nv_ilogb(double a) {
  if (a == 0 || a != a) return -2147483647 - 1;
  if (__nv_isinfd(a)) return 2147483647;
  double rest;
  return __cuvette_split(a, rest);
}

CUVETTE_LIBRARY double __nv_logb(double a) {
  if (a == 0) return -__builtin_inf();
  if (!__nv_isfinited(a)) return __nv_fabs(a);
  double rest;
  return __cuvette_split(a, rest);
}

// a * 2^exponent, rounded once.
CUVETTE_LIBRARY double __nv_ldexp(double a, int exponent) {
  if (a == 0 || !__nv_isfinited(a)) return a + a;
  exponent = __nv_max(-4400, __nv_min(4400, exponent));
  double rest;
  const int total = exponent + __cuvette_split(a, rest);
  if (total > 1023) return __nv_copysign(__builtin_inf(), a);
  if (total < -1075) return __nv_copysign(0.0, a);
  // A normal number first; the second factor rounds only where the result is denormal.
  const int first = __nv_max(total, -1022);
  const double power = __nv_longlong_as_double(static_cast<long long>(first + 1023) << 52);
  const double second = __nv_longlong_as_double(static_cast<long long>(total - first + 1023) << 52);
  return rest * power * second;
}
CUVETTE_LIBRARY double __nv_scalbn(double a, int exponent) { return __nv_ldexp(a, exponent); }

CUVETTE_LIBRARY double __nv_nextafter(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0) return __nv_copysign(0x1p-1074, b);
  const long long bits = static_cast<long long>(__nv_double_as_longlong(a));
  return __nv_longlong_as_double((a < b) == (a > 0) ? bits + 1 : bits - 1);
}

// The remainder, and the lower bits of the quotient that was rounded to nearest.
CUVETTE_LIBRARY double __nv_remquo(double a, double b, int* quotient) {
  *quotient = 0;
  const double rest = __cuvette_remainder(a, b);
  if (rest != rest || !__nv_isfinited(b)) return rest;
  // a - rest is the quotient times b; modulo 8 b it fits.
  const double few = __cuvette_fmod(a, 8 * b);
  const int bits = static_cast<int>(__nv_rint(
                       (__nv_isfinited(few) ? few - __cuvette_remainder(few, b) : a - rest) / b)) &
                   7;
  const bool negative = (a < 0) != (b < 0);
  *quotient = negative ? -((8 - bits) & 7) : bits;
  return rest;
}

#endif
