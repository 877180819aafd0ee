// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: functions of double, including undefined and very large results.
#include "../show_functions.hpp"

int main() {
  const double inf = INFINITY;
  const std::vector<double> all{0.0,  -0.0,  0.5,    -0.75, 1.0,         -1.0,   2.5,    -3.0,
                                10.0, 700.0, -800.0, 1e-5,  1e10,        -1e200, 1e-310, 1e308,
                                inf,  -inf,  NAN,    0.1,   0.999999999, 7.5};
  const std::vector<double> angles{
      0.0,   0.5,   -1.0, 1.5707963267948966, 3.141592653589793, 10.0, -100.5, 1000.25, 1e5,
      -1e10, 1e-10, 1e22};
  FUNCTION(13, angles, sin(x));
  FUNCTION(13, angles, cos(x));
  FUNCTION(12, angles, tan(x));
  FUNCTION(13, all, exp(x));
  FUNCTION(13, all, exp2(x));
  FUNCTION(13, all, exp10(x));
  FUNCTION(13, all, expm1(x));
  FUNCTION(13, all, log(x));
  FUNCTION(13, all, log2(x));
  FUNCTION(13, all, log10(x));
  FUNCTION(13, all, log1p(x));
  FUNCTION(16, all, sqrt(x));
  FUNCTION(13, all, rsqrt(x));
  FUNCTION(13, all, cbrt(x));
  FUNCTION(13, all, asin(x));
  FUNCTION(13, all, acos(x));
  FUNCTION(13, all, atan(x));
  FUNCTION(13, all, atan2(x, y));
  FUNCTION(13, all, sinh(x));
  FUNCTION(13, all, cosh(x));
  FUNCTION(13, all, tanh(x));
  FUNCTION(13, all, asinh(x));
  FUNCTION(13, all, acosh(x));
  FUNCTION(13, all, atanh(x));
  FUNCTION(12, all, pow(x, y));
  FUNCTION(13, all, hypot(x, y));
  FUNCTION(16, all, fmod(x, y));
  FUNCTION(16, all, remainder(x, y));
  FUNCTION(16, all, fma(x, y, x));
  FUNCTION(16, all, floor(x) + ceil(x) + trunc(x) + round(x) + rint(x));
  FUNCTION(16, all, copysign(x, y) + fdim(x, y));
  FUNCTION(16, all, fmax(x, y) - fmin(y, x));
  FUNCTION(16, all, ldexp(x, 30) + scalbn(x, -20));
  FUNCTION(16, all, logb(x));
  FUNCTION(16, all, nextafter(x, y));
  FUNCTION(13, angles, sinpi(x) + cospi(x));
  FUNCTION(16, all, x / y);
  return 0;
}
