// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: special functions: error functions, gamma, Bessel, normal
// distribution, norms.
#include "../show_functions.hpp"

__global__ void several(float* f, double* d) {
  const int t = threadIdx.x;
  float s, c;
  sincosf(t * 0.7f, &s, &c);
  double sd, cd;
  sincos(t * 0.7, &sd, &cd);
  int exponent, quotient;
  const float part = frexpf(t * 3.5f, &exponent);
  float whole;
  const float fraction = modff(t * 1.25f, &whole);
  const float left = remquof(t * 5.5f, 2.0f, &quotient);
  f[t] = rintf((s + c) * 10000) + part + exponent + whole * 3 + fraction + left + quotient % 8;
  d[t] = rint((sd - cd) * 1e8) + norm3d(t, 2, 2) + llrint(t * 0.5) + lround(t * 1.5);
}

int main() {
  const std::vector<float> f{0.1f, 0.5f, 1.0f,  1.5f,  2.25f, 3.5f,
                             5.0f, 9.5f, 0.01f, 20.0f, -0.5f, -2.5f};
  const std::vector<double> d{0.1, 0.5, 1.0, 1.5, 2.25, 3.5, 5.0, 9.5, 0.01, 20.0, -0.5, -2.5};
  FUNCTION(4, f, erff(x));
  FUNCTION(4, f, erfcf(x));
  FUNCTION(4, f, erfcxf(x));
  FUNCTION(4, f, tgammaf(x));
  FUNCTION(4, f, lgammaf(x));
  FUNCTION(4, f, normcdff(x));
  FUNCTION(4, f, erfinvf(x / 25));
  FUNCTION(3, f, j0f(x) + 2);
  FUNCTION(3, f, j1f(x) + 2);
  FUNCTION(3, f, y0f(fabsf(x)) + 7);
  FUNCTION(3, f, jnf(3, x) + 2);
  FUNCTION(4, f, cyl_bessel_i0f(x));
  FUNCTION(4, f, norm3df(x, y, 1));
  FUNCTION(12, d, erf(x));
  FUNCTION(12, d, erfc(x));
  FUNCTION(12, d, tgamma(x));
  FUNCTION(11, d, lgamma(x));
  FUNCTION(12, d, normcdf(x));
  FUNCTION(11, d, erfinv(x / 25));
  FUNCTION(10, d, normcdfinv(x / 60 + 0.5));
  FUNCTION(10, d, j0(x) + 2);
  FUNCTION(10, d, y1(fabs(x)) + 70);
  FUNCTION(12, d, cyl_bessel_i1(x));
  FUNCTION(12, d, rhypot(x, y));
  Buffer<float> a(32);
  Buffer<double> b(32);
  RUN(several<<<1, 32>>>(a, b));
  corpus::show("float", a.read());
  corpus::show("double", b.read());
  return 0;
}
