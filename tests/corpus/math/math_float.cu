// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: functions of float, including undefined and very large results.
#include "../show_functions.hpp"

int main() {
  const float inf = INFINITY;
  const std::vector<float> all{0.0f,  -0.0f, 0.5f,    -0.75f, 1.0f,      -1.0f,  2.5f,   -3.0f,
                               10.0f, 88.0f, -100.0f, 1e-5f,  1e10f,     -1e20f, 1e-40f, 3e38f,
                               inf,   -inf,  NAN,     0.1f,   0.999999f, 7.5f};
  const std::vector<float> angles{0.0f,    0.5f,     -1.0f, 1.5707963f, 3.1415927f, 10.0f,
                                  -100.5f, 1000.25f, 1e5f,  -1e10f,     1e-10f,     6.2831853f};
  FUNCTION(5, angles, sinf(x));
  FUNCTION(5, angles, cosf(x));
  FUNCTION(4, angles, tanf(x));
  FUNCTION(5, all, expf(x));
  FUNCTION(5, all, exp2f(x));
  FUNCTION(5, all, exp10f(x));
  FUNCTION(5, all, expm1f(x));
  FUNCTION(5, all, logf(x));
  FUNCTION(5, all, log2f(x));
  FUNCTION(5, all, log10f(x));
  FUNCTION(5, all, log1pf(x));
  FUNCTION(8, all, sqrtf(x));
  FUNCTION(5, all, rsqrtf(x));
  FUNCTION(5, all, cbrtf(x));
  FUNCTION(5, all, rcbrtf(x));
  FUNCTION(5, all, asinf(x));
  FUNCTION(5, all, acosf(x));
  FUNCTION(5, all, atanf(x));
  FUNCTION(5, all, atan2f(x, y));
  FUNCTION(5, all, sinhf(x));
  FUNCTION(5, all, coshf(x));
  FUNCTION(5, all, tanhf(x));
  FUNCTION(5, all, asinhf(x));
  FUNCTION(5, all, acoshf(x));
  FUNCTION(5, all, atanhf(x));
  FUNCTION(5, all, powf(x, y));
  FUNCTION(5, all, hypotf(x, y));
  FUNCTION(5, all, rhypotf(x, y));
  FUNCTION(8, all, fmodf(x, y));
  FUNCTION(8, all, remainderf(x, y));
  FUNCTION(8, all, fdimf(x, y));
  FUNCTION(8, all, fmaf(x, y, x));
  FUNCTION(8, all, floorf(x) + ceilf(x) + truncf(x) + roundf(x));
  FUNCTION(8, all, rintf(x) + nearbyintf(x));
  FUNCTION(8, all, copysignf(x, y));
  FUNCTION(8, all, fmaxf(x, y) - fminf(y, x));
  FUNCTION(8, all, ldexpf(x, 3) + scalbnf(x, -2));
  FUNCTION(8, all, logbf(x) + ilogbf(fabsf(x) + 1));
  FUNCTION(8, all, nextafterf(x, y));
  FUNCTION(5, angles, sinpif(x) + cospif(x));
  FUNCTION(8, all, x / y);
  FUNCTION(8, all, float(signbit(x) + 2 * isnan(x) + 4 * isinf(x) + 8 * isfinite(x)));
  return 0;
}
