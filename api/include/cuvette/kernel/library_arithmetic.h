// SPDX-License-Identifier: Apache-2.0
// The library's arithmetic that is one instruction: sums, products, quotients and roots rounded in
// a direction, whole parts, the greater of two, and the fast functions of float.
#ifndef CUVETTE_KERNEL_LIBRARY_ARITHMETIC_H
#define CUVETTE_KERNEL_LIBRARY_ARITHMETIC_H

#define CUVETTE_OF_1(name, type, instruction, output, input)     \
  CUVETTE_LIBRARY type __nv_##name(type a) {                     \
    type result;                                                 \
    __asm__(instruction " %0, %1;" : output(result) : input(a)); \
    return result;                                               \
  }
#define CUVETTE_OF_2(name, type, instruction, output, input)                   \
  CUVETTE_LIBRARY type __nv_##name(type a, type b) {                           \
    type result;                                                               \
    __asm__(instruction " %0, %1, %2;" : output(result) : input(a), input(b)); \
    return result;                                                             \
  }
#define CUVETTE_OF_3(name, type, instruction, output, input)                                 \
  CUVETTE_LIBRARY type __nv_##name(type a, type b, type c) {                                 \
    type result;                                                                             \
    __asm__(instruction " %0, %1, %2, %3;" : output(result) : input(a), input(b), input(c)); \
    return result;                                                                           \
  }

// The four directions of one operation for float and double.
#define CUVETTE_ROUNDED(count, float_name, double_name, operation)                               \
  CUVETTE_OF_##count(float_name##_rd, float, operation ".rm.f32", "=f", "f") CUVETTE_OF_##count( \
      float_name##_rn, float, operation ".rn.f32", "=f",                                         \
      "f") CUVETTE_OF_##count(float_name##_ru, float, operation ".rp.f32", "=f", "f")            \
      CUVETTE_OF_##count(float_name##_rz, float, operation ".rz.f32", "=f", "f")                 \
          CUVETTE_OF_##count(double_name##_rd, double, operation ".rm.f64", "=d", "d")           \
              CUVETTE_OF_##count(double_name##_rn, double, operation ".rn.f64", "=d", "d")       \
                  CUVETTE_OF_##count(double_name##_ru, double, operation ".rp.f64", "=d", "d")   \
                      CUVETTE_OF_##count(double_name##_rz, double, operation ".rz.f64", "=d", "d")
CUVETTE_ROUNDED(2, fadd, dadd, "add")
CUVETTE_ROUNDED(2, fsub, dsub, "sub")
CUVETTE_ROUNDED(2, fmul, dmul, "mul")
CUVETTE_ROUNDED(2, fdiv, ddiv, "div")
CUVETTE_ROUNDED(3, fmaf, fma, "fma")
CUVETTE_ROUNDED(1, frcp, drcp, "rcp")
CUVETTE_ROUNDED(1, fsqrt, dsqrt, "sqrt")
CUVETTE_OF_3(fmaf_ieee_rd, float, "fma.rm.f32", "=f", "f")
CUVETTE_OF_3(fmaf_ieee_rn, float, "fma.rn.f32", "=f", "f")
CUVETTE_OF_3(fmaf_ieee_ru, float, "fma.rp.f32", "=f", "f")
CUVETTE_OF_3(fmaf_ieee_rz, float, "fma.rz.f32", "=f", "f")
#undef CUVETTE_ROUNDED

// The same operation of float and of double, under the names name and namef.
#define CUVETTE_BOTH(count, name, float_instruction, double_instruction) \
  CUVETTE_OF_##count(name##f, float, float_instruction, "=f", "f")       \
      CUVETTE_OF_##count(name, double, double_instruction, "=d", "d")
CUVETTE_BOTH(1, fabs, "abs.f32", "abs.f64")
CUVETTE_BOTH(1, floor, "cvt.rmi.f32.f32", "cvt.rmi.f64.f64")
CUVETTE_BOTH(1, ceil, "cvt.rpi.f32.f32", "cvt.rpi.f64.f64")
CUVETTE_BOTH(1, trunc, "cvt.rzi.f32.f32", "cvt.rzi.f64.f64")
CUVETTE_BOTH(1, rint, "cvt.rni.f32.f32", "cvt.rni.f64.f64")
CUVETTE_BOTH(1, nearbyint, "cvt.rni.f32.f32", "cvt.rni.f64.f64")
CUVETTE_BOTH(2, fmin, "min.f32", "min.f64")
CUVETTE_BOTH(2, fmax, "max.f32", "max.f64")
// PTX takes the sign of the first operand.
CUVETTE_LIBRARY float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
CUVETTE_LIBRARY double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
#if defined(__CLANG_CUDA_APPROX_TRANSCENDENTALS__)
CUVETTE_OF_1(sqrtf, float, "sqrt.approx.f32", "=f", "f")
#else
CUVETTE_OF_1(sqrtf, float, "sqrt.rn.f32", "=f", "f")
#endif
CUVETTE_OF_1(sqrt, double, "sqrt.rn.f64", "=d", "d")
CUVETTE_OF_3(fmaf, float, "fma.rn.f32", "=f", "f")
CUVETTE_OF_3(fma, double, "fma.rn.f64", "=d", "d")
CUVETTE_OF_1(rsqrtf, float, "rsqrt.approx.f32", "=f", "f")
CUVETTE_OF_1(rcp64h, double, "rcp.approx.ftz.f64", "=d", "d")
CUVETTE_OF_1(saturatef, float, "cvt.sat.f32.f32", "=f", "f")

CUVETTE_OF_1(fast_sinf, float, "sin.approx.f32", "=f", "f")
CUVETTE_OF_1(fast_cosf, float, "cos.approx.f32", "=f", "f")
CUVETTE_OF_1(fast_log2f, float, "lg2.approx.f32", "=f", "f")
CUVETTE_OF_2(fast_fdividef, float, "div.approx.f32", "=f", "f")
CUVETTE_OF_1(cuvette_exp2f, float, "ex2.approx.f32", "=f", "f")
#undef CUVETTE_BOTH
#undef CUVETTE_OF_3
#undef CUVETTE_OF_2
#undef CUVETTE_OF_1

CUVETTE_LIBRARY float __nv_fast_expf(float a) { return __nv_cuvette_exp2f(a * 1.44269504f); }
CUVETTE_LIBRARY float __nv_fast_exp10f(float a) { return __nv_cuvette_exp2f(a * 3.32192809f); }
CUVETTE_LIBRARY float __nv_fast_logf(float a) { return __nv_fast_log2f(a) * 0.693147181f; }
CUVETTE_LIBRARY float __nv_fast_log10f(float a) { return __nv_fast_log2f(a) * 0.301029996f; }
CUVETTE_LIBRARY float __nv_fast_powf(float a, float b) {
  return __nv_cuvette_exp2f(b * __nv_fast_log2f(a));
}
CUVETTE_LIBRARY float __nv_fast_tanf(float a) {
  return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a));
}
CUVETTE_LIBRARY void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = __nv_fast_sinf(a);
  *cosine = __nv_fast_cosf(a);
}
CUVETTE_LIBRARY float __nv_frsqrt_rn(float a) {
  // A double has more than twice a float's digits, so rounding twice is rounding once.
  return static_cast<float>(1.0 / __nv_sqrt(static_cast<double>(a)));
}

#endif
