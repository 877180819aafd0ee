// SPDX-License-Identifier: Apache-2.0
// The functions that the C library has not, or that are seldom asked for, against long double: what
// is inverted is found by bisection, and near the zeros of Bessel functions the error counts as it
// is. The bounds are those that CUDA documents. Ends with 1 and says where, if one is not met.
#include "exactness.hpp"

namespace {

using Wide = long double;
constexpr Wide pi = 3.14159265358979323846264338327950288L;
constexpr Wide root_of_2 = 1.41421356237309504880168872420969808L;
constexpr Wide root_of_pi = 1.77245385090551602729816748334114518L;

// sin(pi x), whose argument is exact within a quarter of a turn.
Wide sine_of_turns(Wide x) {
  const Wide turns = fmodl(fabsl(x), 2);
  const Wide half = turns < 1 ? turns : turns - 1;
  const Wide value = half == 0       ? 0
                     : half <= 0.25L ? sinl(pi * half)
                     : half <= 0.75L ? cosl(pi * (half - 0.5L))
                                     : sinl(pi * (1 - half));
  return copysignl(1, x) * (turns < 1 || value == 0 ? value : -value);
}
Wide cosine_of_turns(Wide x) {
  if (std::isinf(x)) return NAN;
  const Wide turns = fmodl(fabsl(x), 2);
  // It is the sine of as much as is missing to a half turn.
  const Wide value = sine_of_turns(turns <= 1 ? 0.5L - turns : turns - 1.5L);
  return value == 0 ? 0 : value;
}

// The place between `low` and `high` where an increasing function has a value.
template <typename F>
Wide inverse(Wide value, Wide low, Wide high, F function) {
  for (int step = 0; step < 200; ++step) {
    const Wide middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (function(middle) < value ? low : high) = middle;
  }
  return (low + high) / 2;
}
Wide inverse_of_erf(Wide x) {
  if (!(fabsl(x) <= 1)) return NAN;
  if (x == 0 || fabsl(x) == 1) return x == 0 ? x : x / 0.0L;
  const Wide size = fabsl(x);
  const Wide z = size < 0.5L ? inverse(size, 0.88L * size, size, erfl)
                             : inverse(size - 1, 0.4L, 120, [](Wide z) { return -erfcl(z); });
  return copysignl(z, x);
}
Wide inverse_of_erfc(Wide x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0 || x == 2) return (1 - x) / 0.0L;
  if (x > 0.5L && x < 1.5L) return inverse_of_erf(1 - x);
  return x < 1 ? inverse(-x, 0.4L, 120, [](Wide z) { return -erfcl(z); }) : -inverse_of_erfc(2 - x);
}
Wide scaled_erfc(Wide x) {
  if (x > 100) {
    const Wide half = 0.5L / x / x;
    return (1 - half * (1 - 3 * half * (1 - 5 * half * (1 - 7 * half)))) / x / root_of_pi;
  }
  return expl(x * x) * erfcl(x);
}
// Sums of positive terms, each of which follows from the one before.
Wide bessel_i(int order, Wide x) {
  if (std::isinf(x)) return order == 0 ? INFINITY : x;
  if (std::isnan(x) || fabsl(x) > 720) return x * INFINITY * (order == 0 ? x : 1);
  Wide term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 2000 && fabsl(term) > fabsl(sum) * 1e-22L; ++k)
    sum += term *= x * x / 4 / k / (k + order);
  return sum;
}
Wide length(Wide x, Wide y, Wide z, Wide w) {
  if (std::isinf(x) || std::isinf(y) || std::isinf(z) || std::isinf(w)) return INFINITY;
  return sqrtl(x * x + y * y + z * z + w * w);
}
Wide lgamma_of(Wide x) {
  int sign;
  return lgammal_r(x, &sign);
}
Wide tgamma_of(Wide x) { return x < 0 && x == floorl(x) ? NAN : tgammal(x); }

template <typename T>
std::vector<T> near_whole_numbers() {
  std::vector<T> all;
  for (int i = -400; i <= 400; ++i) {
    const T half = static_cast<T>(i) / 2, most = std::numeric_limits<T>::max();
    for (T x : {half, std::nextafter(half, most), std::nextafter(half, -most)}) all.push_back(x);
  }
  return all;
}
// The numbers of the other tests, those around whole ones and halves, and those around 0 and 1.
template <typename T>
std::vector<T> more(std::vector<T> all) {
  const std::vector<T> whole = near_whole_numbers<T>();
  all.insert(all.end(), whole.begin(), whole.end());
  for (int i = 1; i < 1000; ++i) {
    all.push_back(static_cast<T>(ldexp(1, -i)));
    all.push_back(static_cast<T>(1 - ldexp(1, -i)));
    all.push_back(static_cast<T>(2 - ldexp(1, -i)));
  }
  return all;
}
template <typename T>
std::vector<T> within(const std::vector<T>& all, double least, double most) {
  std::vector<T> some;
  for (T x : all)
    if (x >= least && x <= most) some.push_back(x);
  return some;
}

#define AT(places, type, bound, expression, exact)                           \
  compare<type>(                                                             \
      #expression, bound, places,                                            \
      [] __device__(type x, type y) -> type { return (void)y, expression; }, \
      [](long double x, long double y) -> long double { return (void)y, exact; })
#define BOTH_AT(double_bound, float_bound, name, exact) \
  AT(doubles, double, double_bound, name(x), exact);    \
  AT(floats, float, float_bound, name##f(x), exact)
// Near its zeros a function's error counts as it is: it is seen beside 1, in the units of 1.
#define BESSEL(name)                                                      \
  AT(doubles_at_zeros, double, 8, 1 + name(x) / 16, 1 + name##l(x) / 16); \
  AT(floats_at_zeros, float, 2, 1 + name##f(x) / 16, 1 + name##l(x) / 16)

}  // namespace

int main() {
  const std::vector<double> doubles = more(double_places);
  const std::vector<float> floats = more(float_places);
  BOTH_AT(2, 1, sinpi, std::isinf(x) ? NAN : sine_of_turns(x));
  BOTH_AT(2, 1, cospi, cosine_of_turns(x));
  BOTH_AT(1, 1, cbrt, cbrtl(x));
  BOTH_AT(1, 1, rcbrt, 1 / cbrtl(x));
  BOTH_AT(10, 5, tgamma, tgamma_of(x));
  BOTH_AT(4, 6, lgamma, lgamma_of(x));
  BOTH_AT(2, 2, erf, erfl(x));
  BOTH_AT(5, 4, erfc, erfcl(x));
  BOTH_AT(5, 2, erfinv, inverse_of_erf(x));
  BOTH_AT(6, 4, erfcinv, inverse_of_erfc(x));
  BOTH_AT(4, 4, erfcx, scaled_erfc(x));
  BOTH_AT(5, 5, normcdf, erfcl(-x / root_of_2) / 2);
  BOTH_AT(8, 5, normcdfinv, -root_of_2 * inverse_of_erfc(2 * x));
  BOTH_AT(6, 6, cyl_bessel_i0, bessel_i(0, x));
  BOTH_AT(6, 6, cyl_bessel_i1, bessel_i(1, x));

  AT(doubles, double, 2, hypot(x, y), length(x, y, 0, 0));
  AT(floats, float, 3, hypotf(x, y), length(x, y, 0, 0));
  AT(doubles, double, 1, rhypot(x, y), 1 / length(x, y, 0, 0));
  AT(floats, float, 2, rhypotf(x, y), 1 / length(x, y, 0, 0));
  AT(doubles, double, 2, norm3d(x, y, x), length(x, y, x, 0));
  AT(floats, float, 3, norm3df(x, y, x), length(x, y, x, 0));
  AT(doubles, double, 1, rnorm3d(x, y, x), 1 / length(x, y, x, 0));
  AT(floats, float, 2, rnorm3df(x, y, x), 1 / length(x, y, x, 0));
  AT(doubles, double, 2, norm4d(x, y, y, x), length(x, y, y, x));
  AT(floats, float, 3, norm4df(x, y, y, x), length(x, y, y, x));
  AT(doubles, double, 1, rnorm4d(x, y, y, x), 1 / length(x, y, y, x));
  AT(floats, float, 2, rnorm4df(x, y, y, x), 1 / length(x, y, y, x));

  const std::vector<double> doubles_at_zeros = within(doubles, 0.05, 8);
  const std::vector<float> floats_at_zeros = within(floats, 0.05, 8);
  BESSEL(j0);
  BESSEL(j1);
  BESSEL(y0);
  BESSEL(y1);
  AT(doubles_at_zeros, double, 8, 1 + jn(3, x) / 16, 1 + jnl(3, x) / 16);
  AT(within(doubles, 1, 8), double, 8, 1 + yn(3, x) / 16, 1 + ynl(3, x) / 16);
  return failed ? 1 : 0;
}
