// SPDX-License-Identifier: Apache-2.0
// Functions of double and float that kernels call, against the C library's of long double: at
// extremes, at denormals, at huge arguments and at numbers of every size. The bounds are those that
// CUDA documents, in units of the last place. Ends with 1 and says where, if one is not met.
#include "exactness.hpp"

int main() {
  BOTH(1, 1, exp);
  BOTH(1, 1, exp2);
  BOTH(1, 1, exp10);
  BOTH(1, 1, expm1);
  BOTH(1, 1, log);
  BOTH(1, 1, log2);
  BOTH(1, 1, log10);
  BOTH(1, 1, log1p);
  BOTH(2, 1, sin);
  BOTH(2, 1, cos);
  BOTH(2, 1, tan);
  BOTH(2, 1, asin);
  BOTH(2, 1, acos);
  BOTH(2, 1, atan);
  BOTH(2, 1, sinh);
  BOTH(1, 1, cosh);
  BOTH(2, 1, tanh);
  BOTH(3, 1, asinh);
  BOTH(3, 1, acosh);
  BOTH(2, 1, atanh);
  BOTH(1, 1, cbrt);
  BOTH(0.5, 0.5, sqrt);
  BOTH(2, 1, erf);
  BOTH(5, 1, erfc);
  BOTH_OF_TWO(2, 1, pow);
  BOTH_OF_TWO(2, 1, atan2);
  BOTH_OF_TWO(2, 1, hypot);
  BOTH_OF_TWO(0, 0, fmod);
  BOTH_OF_TWO(0, 0, remainder);
  BOTH_OF_TWO(0.5, 0.5, fdim);
  BOTH(0, 0, floor);
  BOTH(0, 0, ceil);
  BOTH(0, 0, trunc);
  BOTH(0, 0, round);
  BOTH(0, 0, rint);
  BOTH(0, 0, fabs);
  BOTH(0, 0, logb);
  COMPARE(double, 1, rsqrt(x), 1 / sqrtl(x));
  COMPARE(float, 2, rsqrtf(x), 1 / sqrtl(x));
  COMPARE(double, 1, rcbrt(x), 1 / cbrtl(x));
  COMPARE(double, 0.5, ldexp(x, 37), ldexpl(x, 37));
  COMPARE(double, 0.5, ldexp(x, -1040), ldexpl(x, -1040));
  COMPARE(float, 0.5, ldexpf(x, -140), ldexpl(x, -140));
  COMPARE(double, 0.5, fma(x, y, x), fmal(x, y, x));
  return failed ? 1 : 0;
}
