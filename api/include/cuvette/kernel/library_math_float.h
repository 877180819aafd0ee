// SPDX-License-Identifier: Apache-2.0
// The library's functions of float: the functions of double, rounded. A float's function is thereby
// nearly always the nearest float.
#ifndef CUVETTE_KERNEL_LIBRARY_MATH_FLOAT_H
#define CUVETTE_KERNEL_LIBRARY_MATH_FLOAT_H

// A NaN has the bits that a device's arithmetic gives it.
CUVETTE_LIBRARY float __cuvette_nearest_float(double a) {
  return a == a ? static_cast<float>(a) : __nv_int_as_float(0x7fffffff);
}

#define CUVETTE_FLOAT_1(name) \
  CUVETTE_LIBRARY float __nv_##name##f(float a) { return __cuvette_nearest_float(__nv_##name(a)); }
#define CUVETTE_FLOAT_2(name)                              \
  CUVETTE_LIBRARY float __nv_##name##f(float a, float b) { \
    return __cuvette_nearest_float(__nv_##name(a, b));     \
  }
CUVETTE_FLOAT_1(acos)
CUVETTE_FLOAT_1(acosh)
CUVETTE_FLOAT_1(asin)
CUVETTE_FLOAT_1(asinh)
CUVETTE_FLOAT_1(atan)
CUVETTE_FLOAT_1(atanh)
CUVETTE_FLOAT_1(cbrt)
CUVETTE_FLOAT_1(cos)
CUVETTE_FLOAT_1(cosh)
CUVETTE_FLOAT_1(cospi)
CUVETTE_FLOAT_1(cyl_bessel_i0)
CUVETTE_FLOAT_1(cyl_bessel_i1)
CUVETTE_FLOAT_1(erf)
CUVETTE_FLOAT_1(erfc)
CUVETTE_FLOAT_1(erfcinv)
CUVETTE_FLOAT_1(erfcx)
CUVETTE_FLOAT_1(erfinv)
CUVETTE_FLOAT_1(exp)
CUVETTE_FLOAT_1(exp10)
CUVETTE_FLOAT_1(exp2)
CUVETTE_FLOAT_1(expm1)
CUVETTE_FLOAT_1(j0)
CUVETTE_FLOAT_1(j1)
CUVETTE_FLOAT_1(lgamma)
CUVETTE_FLOAT_1(log)
CUVETTE_FLOAT_1(log10)
CUVETTE_FLOAT_1(log1p)
CUVETTE_FLOAT_1(log2)
CUVETTE_FLOAT_1(normcdf)
CUVETTE_FLOAT_1(normcdfinv)
CUVETTE_FLOAT_1(rcbrt)
CUVETTE_FLOAT_1(sin)
CUVETTE_FLOAT_1(sinh)
CUVETTE_FLOAT_1(sinpi)
CUVETTE_FLOAT_1(tan)
CUVETTE_FLOAT_1(tanh)
CUVETTE_FLOAT_1(tgamma)
CUVETTE_FLOAT_1(y0)
CUVETTE_FLOAT_1(y1)
CUVETTE_FLOAT_1(logb)
CUVETTE_FLOAT_1(round)
CUVETTE_FLOAT_2(atan2)
CUVETTE_FLOAT_2(fmod)
CUVETTE_FLOAT_2(hypot)
CUVETTE_FLOAT_2(pow)
CUVETTE_FLOAT_2(remainder)
CUVETTE_FLOAT_2(rhypot)
#undef CUVETTE_FLOAT_2
#undef CUVETTE_FLOAT_1

CUVETTE_LIBRARY float __nv_jnf(int order, float a) { return static_cast<float>(__nv_jn(order, a)); }
CUVETTE_LIBRARY float __nv_ynf(int order, float a) { return static_cast<float>(__nv_yn(order, a)); }
CUVETTE_LIBRARY float __nv_powif(float a, int b) { return static_cast<float>(__nv_powi(a, b)); }

CUVETTE_LIBRARY float __nv_norm3df(float a, float b, float c) {
  return static_cast<float>(__nv_norm3d(a, b, c));
}
CUVETTE_LIBRARY float __nv_rnorm3df(float a, float b, float c) {
  return static_cast<float>(__nv_rnorm3d(a, b, c));
}
CUVETTE_LIBRARY float __nv_norm4df(float a, float b, float c, float d) {
  return static_cast<float>(__nv_norm4d(a, b, c, d));
}
CUVETTE_LIBRARY float __nv_rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(__nv_rnorm4d(a, b, c, d));
}
// Squares of floats neither overflow nor vanish in a double.
CUVETTE_LIBRARY double __cuvette_sum_of_squares(int count, const float* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    if (__nv_fabsf(values[i]) == __builtin_inff()) return __builtin_inf();
    sum += static_cast<double>(values[i]) * values[i];
  }
  return sum;
}
CUVETTE_LIBRARY float __nv_normf(int count, const float* values) {
  return static_cast<float>(__nv_sqrt(__cuvette_sum_of_squares(count, values)));
}
CUVETTE_LIBRARY float __nv_rnormf(int count, const float* values) {
  return static_cast<float>(1 / __nv_sqrt(__cuvette_sum_of_squares(count, values)));
}

CUVETTE_LIBRARY void __nv_sincosf(float a, float* sine, float* cosine) {
  *sine = __nv_sinf(a);
  *cosine = __nv_cosf(a);
}
CUVETTE_LIBRARY void __nv_sincospif(float a, float* sine, float* cosine) {
  *sine = __nv_sinpif(a);
  *cosine = __nv_cospif(a);
}

CUVETTE_LIBRARY int __nv_isnanf(float a) { return a != a; }
CUVETTE_LIBRARY int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
CUVETTE_LIBRARY int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
CUVETTE_LIBRARY int __nv_signbitf(float a) { return __nv_float_as_int(a) < 0; }
CUVETTE_LIBRARY float __nv_nanf(const signed char*) { return __nv_int_as_float(0x7fffffff); }

CUVETTE_LIBRARY long long __nv_llroundf(float a) { return __nv_float2ll_rz(__nv_roundf(a)); }
CUVETTE_LIBRARY long long __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
CUVETTE_LIBRARY float __nv_fdimf(float a, float b) {
  if (a != a || b != b) return a + b;
  return a > b ? a - b : 0.0f;
}
CUVETTE_LIBRARY float __nv_modff(float a, float* whole) {
  *whole = __nv_truncf(a);
  const float rest = __nv_isinff(a) ? 0.0f : a - *whole;
  return __nv_copysignf(rest, a);
}
CUVETTE_LIBRARY float __nv_frexpf(float a, int* exponent) {
  return static_cast<float>(__nv_frexp(a, exponent));
}
CUVETTE_LIBRARY int __nv_ilogbf(float a) { return __nv_ilogb(a); }
// Two steps of double round once: the product is exact unless the float's result is 0 or infinite.
CUVETTE_LIBRARY float __nv_ldexpf(float a, int exponent) {
  return static_cast<float>(__nv_ldexp(a, __nv_max(-600, __nv_min(600, exponent))));
}
CUVETTE_LIBRARY float __nv_scalbnf(float a, int exponent) { return __nv_ldexpf(a, exponent); }
CUVETTE_LIBRARY float __nv_nextafterf(float a, float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0) return __nv_copysignf(0x1p-149f, b);
  const int bits = __nv_float_as_int(a);
  return __nv_int_as_float((a < b) == (a > 0) ? bits + 1 : bits - 1);
}
CUVETTE_LIBRARY float __nv_remquof(float a, float b, int* quotient) {
  return static_cast<float>(__nv_remquo(a, b, quotient));
}

#endif
