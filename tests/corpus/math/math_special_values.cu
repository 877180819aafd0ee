// SPDX-License-Identifier: Apache-2.0
// The math library at its limits: zeros, infinities, NaNs, the smallest and the largest numbers,
// large arguments of periodic functions, integer powers.
#include "../lists.hpp"

__device__ float both(float v) {
  float s, c;
  sincosf(v, &s, &c);
  return s + 2 * c;
}
__device__ double both(double v) {
  double s, c;
  sincos(v, &s, &c);
  return s + 2 * c;
}

#define PUT(...) put_(__VA_ARGS__)
LIST(float_of_one, float, float, PUT(sinf(x)); PUT(cosf(x)); PUT(tanf(x)); PUT(asinf(x));
     PUT(acosf(x)); PUT(atanf(x)); PUT(sinhf(x)); PUT(coshf(x)); PUT(tanhf(x)); PUT(asinhf(x));
     PUT(acoshf(x)); PUT(atanhf(x)); PUT(expf(x)); PUT(exp2f(x)); PUT(exp10f(x)); PUT(expm1f(x));
     PUT(logf(x)); PUT(log2f(x)); PUT(log10f(x)); PUT(log1pf(x)); PUT(sqrtf(x)); PUT(cbrtf(x));
     PUT(rsqrtf(x)); PUT(rcbrtf(x)); PUT(sinpif(x)); PUT(cospif(x)); PUT(erff(x)); PUT(erfcf(x));
     PUT(erfinvf(x)); PUT(normcdff(x));)
LIST(double_of_one, double, double, PUT(sin(x)); PUT(cos(x)); PUT(tan(x)); PUT(asin(x));
     PUT(acos(x)); PUT(atan(x)); PUT(sinh(x)); PUT(cosh(x)); PUT(tanh(x)); PUT(asinh(x));
     PUT(acosh(x)); PUT(atanh(x)); PUT(exp(x)); PUT(exp2(x)); PUT(exp10(x)); PUT(expm1(x));
     PUT(log(x)); PUT(log2(x)); PUT(log10(x)); PUT(log1p(x)); PUT(sqrt(x)); PUT(cbrt(x));
     PUT(rsqrt(x)); PUT(rcbrt(x)); PUT(sinpi(x)); PUT(cospi(x)); PUT(erf(x)); PUT(erfc(x));
     PUT(erfinv(x)); PUT(normcdf(x));)
LIST(rough_floats, float, float, PUT(erfcxf(x)); PUT(tgammaf(x)); PUT(lgammaf(x)); PUT(powf(x, 3));
     PUT(powf(-2.5f, x)); PUT(powf(x, y)); PUT(norm3df(x, y, 2)); PUT(rnorm4df(x, y, 1, 2));
     PUT(rnorm3df(x, y, z)); PUT(norm4df(x, y, z, 1));)
LIST(rough_doubles, double, double, PUT(erfcx(x)); PUT(tgamma(x)); PUT(lgamma(x));)
LIST(bessel_floats, float, float, PUT(j0f(x)); PUT(j1f(x)); PUT(y0f(x)); PUT(y1f(x));
     PUT(jnf(2, x)); PUT(ynf(3, fabsf(x))); PUT(cyl_bessel_i0f(x)); PUT(cyl_bessel_i1f(x));)
LIST(bessel_doubles, double, double, PUT(j0(x)); PUT(j1(x)); PUT(y0(x)); PUT(y1(x)); PUT(jn(5, x));
     PUT(yn(3, x)); PUT(cyl_bessel_i0(x)); PUT(cyl_bessel_i1(x));)
LIST(float_of_two, float, float, PUT(atan2f(x, y)); PUT(hypotf(x, y)); PUT(rhypotf(x, y));)
LIST(double_of_two, double, double, PUT(atan2(x, y)); PUT(hypot(x, y)); PUT(rhypot(x, y));
     PUT(pow(x, y)); PUT(pow(x, -5.0)); PUT(pow(-3.0, x)); PUT(pow(x, 0.5)); PUT(pow(x, 3));
     PUT(norm4d(x, y, 1, 2)); PUT(rnorm3d(x, y, z));)
LIST(exact_floats, float, float, PUT(fmodf(x, y)); PUT(remainderf(x, y)); PUT(fdimf(x, y));
     PUT(nextafterf(x, y)); PUT(fminf(x, y)); PUT(fmaxf(x, y)); PUT(copysignf(x, y));)
LIST(exact_doubles, double, double, PUT(fmod(x, y)); PUT(remainder(x, y)); PUT(fdim(x, y));
     PUT(nextafter(x, y)); PUT(fmin(x, y)); PUT(fmax(x, y)); PUT(copysign(x, y));)
LIST(large_floats, float, float, PUT(sinf(x)); PUT(cosf(x)); PUT(tanf(x)); PUT(both(x));
     PUT(sinpif(x)); PUT(cospif(x));)
LIST(large_doubles, double, double, PUT(sin(x)); PUT(cos(x)); PUT(tan(x)); PUT(both(x));
     PUT(sinpi(x)); PUT(cospi(x));)
LIST(approximate, float, float, PUT(__sinf(x)); PUT(__cosf(x)); PUT(__expf(x)); PUT(__logf(x + 1));
     PUT(__log2f(x + 3)); PUT(__log10f(x + 3)); PUT(__powf(x, 1.5f)); PUT(__tanf(x / 20));
     PUT(__exp10f(x / 10)); PUT(__fdividef(x, 3.7f)); PUT(__tanhf(x));)

template <typename T>
std::vector<T> borders() {
  return {T(0),
          -T(0),
          T(1),
          T(-1),
          T(0.5),
          T(-0.5),
          T(2),
          T(-2),
          T(3),
          T(-3),
          T(INFINITY),
          -T(INFINITY),
          T(NAN),
          std::numeric_limits<T>::min(),
          std::numeric_limits<T>::denorm_min(),
          std::numeric_limits<T>::max(),
          -std::numeric_limits<T>::max(),
          T(1e-5),
          T(100.25),
          T(-100.25),
          T(1e10),
          T(88.5),
          T(-88.5),
          T(-103),
          T(0.999),
          T(1.001),
          T(171.5),
          T(-34.5)};
}

// Every value next to every other one, in some order.
template <typename T>
std::vector<T> pairs() {
  const auto all = borders<T>();
  std::vector<T> result;
  for (int k = 1; k < 28; k += 4)
    for (int i = 0; i < 28; ++i) result.push_back(all[i * k * 3 % 28]);
  return result;
}

int main() {
  using corpus::ShowDigits;
  const std::vector<float> large_f{1e3f,  1e4f,  1e5f,  1e6f,      1.23e7f, 1e9f,
                                   1e15f, 1e22f, 3e38f, 105615.0f, -1e22f,  71476.0625f};
  const std::vector<double> large_d{1e3,         1e5,   1e7,   1e10,    1e15,  1e22,
                                    1e50,        1e100, 1e300, 1.7e308, -1e22, 105414357.85197,
                                    2147483648.5};
  const std::vector<float> plain{0.1f, 0.7f, 1.3f, 2.9f, 5.5f, 9.1f, 0.01f, 20.5f};
  const auto f = borders<float>();
  const auto d = borders<double>();
  corpus::list("float of one", float_of_one, f, ShowDigits<4>());
  corpus::list("double of one", double_of_one, d, ShowDigits<11>());
  corpus::list("rough floats", rough_floats, f, ShowDigits<3>());
  corpus::list("rough doubles", rough_doubles, d, ShowDigits<9>());
  corpus::list("bessel floats", bessel_floats, f, ShowDigits<2>());
  corpus::list("bessel doubles", bessel_doubles, d, ShowDigits<4>());
  corpus::list("float of two", float_of_two, pairs<float>(), ShowDigits<4>());
  corpus::list("double of two", double_of_two, pairs<double>(), ShowDigits<11>());
  corpus::list("exact floats", exact_floats, pairs<float>(), ShowDigits<8>());
  corpus::list("exact doubles", exact_doubles, pairs<double>(), ShowDigits<16>());
  corpus::list("large floats", large_floats, large_f, ShowDigits<4>());
  corpus::list("large doubles", large_doubles, large_d, ShowDigits<11>());
  corpus::list("approximate", approximate, plain, ShowDigits<2>());
  return 0;
}
