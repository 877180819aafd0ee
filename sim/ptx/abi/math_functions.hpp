// SPDX-License-Identifier: Apache-2.0
// Mathematical functions that the machine provides to kernels: what PTX has no instruction for and
// no library of the toolkit is there for.
#pragma once

// The name in PTX, and the number of its parameters. Parameters and result are .f64.
#define CUVETTE_PTX_MATH_FUNCTIONS(X)                              \
  X(__cuvette_acos, 1)                                             \
  X(__cuvette_acosh, 1)                                            \
  X(__cuvette_asin, 1)                                             \
  X(__cuvette_asinh, 1)                                            \
  X(__cuvette_atan, 1)                                             \
  X(__cuvette_atan2, 2)                                            \
  X(__cuvette_atanh, 1)                                            \
  X(__cuvette_cbrt, 1)                                             \
  X(__cuvette_cos, 1)                                              \
  X(__cuvette_cosh, 1)                                             \
  X(__cuvette_cospi, 1)                                            \
  X(__cuvette_cyl_bessel_i0, 1)                                    \
  X(__cuvette_cyl_bessel_i1, 1)                                    \
  X(__cuvette_erf, 1)                                              \
  X(__cuvette_erfc, 1)                                             \
  X(__cuvette_erfcinv, 1)                                          \
  X(__cuvette_erfcx, 1)                                            \
  X(__cuvette_erfinv, 1)                                           \
  X(__cuvette_exp, 1)                                              \
  X(__cuvette_exp10, 1)                                            \
  X(__cuvette_exp2, 1)                                             \
  X(__cuvette_expm1, 1)                                            \
  X(__cuvette_fmod, 2)                                             \
  X(__cuvette_hypot, 2)                                            \
  X(__cuvette_j0, 1)                                               \
  X(__cuvette_j1, 1)                                               \
  X(__cuvette_jn, 2) /* the order, a whole number; the argument */ \
  X(__cuvette_lgamma, 1)                                           \
  X(__cuvette_log, 1)                                              \
  X(__cuvette_log10, 1)                                            \
  X(__cuvette_log1p, 1)                                            \
  X(__cuvette_log2, 1)                                             \
  X(__cuvette_norm4d, 4)                                           \
  X(__cuvette_normcdf, 1)                                          \
  X(__cuvette_normcdfinv, 1)                                       \
  X(__cuvette_pow, 2)                                              \
  X(__cuvette_rcbrt, 1)                                            \
  X(__cuvette_remainder, 2)                                        \
  X(__cuvette_rnorm4d, 4)                                          \
  X(__cuvette_rsqrt, 1)                                            \
  X(__cuvette_sin, 1)                                              \
  X(__cuvette_sinh, 1)                                             \
  X(__cuvette_sinpi, 1)                                            \
  X(__cuvette_tan, 1)                                              \
  X(__cuvette_tanh, 1)                                             \
  X(__cuvette_tgamma, 1)                                           \
  X(__cuvette_y0, 1)                                               \
  X(__cuvette_y1, 1)                                               \
  X(__cuvette_yn, 2) /* as for jn */
