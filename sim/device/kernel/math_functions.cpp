// SPDX-License-Identifier: Apache-2.0
// The C library's functions of double, where they are within CUDA's documented bounds. Others, and
// what it does not have, are worked out in long double: its 64 bits leave enough after the steps
// taken here.
#include "sim/device/kernel/math_functions.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace cuvette::device {
namespace {

using ptx::SystemCall;
using Wide = long double;

constexpr double infinity = std::numeric_limits<double>::infinity();
// The results of a device's arithmetic.
constexpr double nan = -std::numeric_limits<double>::quiet_NaN();
constexpr Wide pi = std::numbers::pi_v<Wide>;

double narrow(Wide value) { return static_cast<double>(value); }

// sin(pi * (x + quarters / 2)). The distance to the nearest half is exact.
double sine_of_turns(double x, int quarters) {
  if (!std::isfinite(x)) return nan;
  const double within = std::fmod(x, 2.0);
  const double halves = std::nearbyint(within * 2);
  const Wide angle = pi * (Wide{within} - Wide{halves} / 2);
  const int quadrant = (static_cast<int>(halves) + quarters + 8) % 4;
  const Wide value = quadrant % 2 == 0 ? std::sin(angle) : std::cos(angle);
  return narrow(quadrant >= 2 ? -value : value);
}

double sinpi(double x) {
  const double value = sine_of_turns(x, 0);
  return value == 0 ? std::copysign(0.0, x) : value;
}

double cospi(double x) {
  const double value = sine_of_turns(x, 1);
  return value == 0 ? 0.0 : value;
}

// exp(x * x) * erfc(x)
double erfcx(double x) {
  if (std::isnan(x)) return x;
  if (x < -27) return infinity;
  const Wide square = Wide{x} * x;
  if (x > 100) {
    // 1 / (x sqrt(pi)) * (1 - 1 / (2 x^2) + 3 / (4 x^4) - ...), whose sixth term is below 2^-61.
    const Wide half = 0.5L / square;
    return narrow((1 - half * (1 - 3 * half * (1 - 5 * half * (1 - 7 * half)))) / x *
                  std::numbers::inv_sqrtpi_v<Wide>);
  }
  const Wide rest = std::fma(Wide{x}, Wide{x}, -square);
  return narrow(std::exp(square) * (1 + rest) * std::erfc(Wide{x}));
}

// The z >= 0 with erfc(z) = y, for 0 < y <= 1. erf(z) = 1 - y is given too: for small z it is what
// the result depends on.
Wide inverse_of_erfc(Wide y, Wide one_less_y) {
  if (one_less_y == 0) return 0;
  // For small z, erf(z) is a series that begins with 2 z / sqrt(pi).
  const Wide slope = 2 * std::numbers::inv_sqrtpi_v<Wide>;
  const bool small = one_less_y < 0.5L;
  Wide z = small ? one_less_y / slope : std::sqrt(-std::log(y));
  // Halley's method: the second derivative of both is -2z times the first. From above, where the
  // curve is steep, the first steps are short; each later one trebles the digits.
  for (int step = 0; step < 40; ++step) {
    const Wide too_much = small ? std::erf(z) - one_less_y : y - std::erfc(z);
    const Wide newton = too_much / (slope * std::exp(-z * z));
    const Wide change = newton / (1 + z * newton);
    z -= change;
    if (std::fabs(change) <= 1e-19L * z) break;
  }
  return z;
}

// The z with erfc(z) = y.
Wide inverse_of_erfc(Wide y) {
  if (!(y >= 0 && y <= 2)) return nan;
  if (y == 0) return infinity;
  if (y == 2) return -infinity;
  return y <= 1 ? inverse_of_erfc(y, 1 - y) : -inverse_of_erfc(2 - y, y - 1);
}

double erfinv(double x) {
  if (!(std::fabs(x) <= 1)) return nan;
  if (std::fabs(x) == 1) return std::copysign(infinity, x);
  const Wide size = std::fabs(Wide{x});
  return narrow(std::copysign(inverse_of_erfc(1 - size, size), Wide{x}));
}

// Modified Bessel functions of the first kind, of order 0 or 1.
double bessel_i(int order, double x) {
  if (std::isnan(x)) return x;
  const double size = std::fabs(x);
  const Wide value =
      size > 720 ? Wide{infinity} : std::cyl_bessel_i(static_cast<Wide>(order), Wide{size});
  return narrow(order == 1 ? std::copysign(value, Wide{x}) : value);
}

// The length of a vector. The result is infinite if one of them is, regardless of the others.
Wide length(const double* x) {
  Wide sum = 0;
  for (int i = 0; i < 4; ++i)
    if (std::isinf(x[i])) return infinity;
  for (int i = 0; i < 4; ++i) sum += Wide{x[i]} * x[i];
  return std::sqrt(sum);
}

double lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

double value_of(SystemCall function, const double* p) {
  const double x = p[0];
  switch (function) {
#define SAME(name)                   \
  case SystemCall::__cuvette_##name: \
    return std::name(x);
    SAME(acos)
    SAME(acosh)
    SAME(asin)
    SAME(asinh)
    SAME(atan)
    SAME(atanh)
    SAME(cos)
    SAME(cosh)
    SAME(erf)
    SAME(erfc)
    SAME(exp)
    SAME(exp2)
    SAME(expm1)
    SAME(log)
    SAME(log1p)
    SAME(log2)
    SAME(sin)
    SAME(sinh)
    SAME(tan)
    SAME(tanh)
    SAME(tgamma)
#undef SAME
    case SystemCall::__cuvette_atan2:
      return std::atan2(x, p[1]);
    case SystemCall::__cuvette_cbrt:
      return narrow(std::cbrt(Wide{x}));
    case SystemCall::__cuvette_cospi:
      return cospi(x);
    case SystemCall::__cuvette_cyl_bessel_i0:
      return bessel_i(0, x);
    case SystemCall::__cuvette_cyl_bessel_i1:
      return bessel_i(1, x);
    case SystemCall::__cuvette_erfcinv:
      return narrow(inverse_of_erfc(x));
    case SystemCall::__cuvette_erfcx:
      return erfcx(x);
    case SystemCall::__cuvette_erfinv:
      return erfinv(x);
    case SystemCall::__cuvette_exp10:
      return narrow(::exp10l(x));
    case SystemCall::__cuvette_fmod:
      return std::fmod(x, p[1]);
    case SystemCall::__cuvette_hypot:
      return std::hypot(x, p[1]);
    case SystemCall::__cuvette_j0:
      return ::j0(x);
    case SystemCall::__cuvette_j1:
      return ::j1(x);
    case SystemCall::__cuvette_jn:
      return ::jn(static_cast<int>(x), p[1]);
    case SystemCall::__cuvette_lgamma:
      return lgamma(x);
    case SystemCall::__cuvette_log10:
      return narrow(std::log10(Wide{x}));
    case SystemCall::__cuvette_norm4d:
      return narrow(length(p));
    case SystemCall::__cuvette_normcdf:
      return narrow(std::erfc(-x / std::numbers::sqrt2_v<Wide>) / 2);
    case SystemCall::__cuvette_normcdfinv:
      return narrow(-std::numbers::sqrt2_v<Wide> * inverse_of_erfc(2 * Wide{x}));
    case SystemCall::__cuvette_pow:
      return std::pow(x, p[1]);
    case SystemCall::__cuvette_rcbrt:
      return narrow(1 / std::cbrt(Wide{x}));
    case SystemCall::__cuvette_remainder:
      return std::remainder(x, p[1]);
    case SystemCall::__cuvette_rnorm4d:
      return narrow(1 / length(p));
    case SystemCall::__cuvette_rsqrt:
      return narrow(1 / std::sqrt(Wide{x}));
    case SystemCall::__cuvette_sinpi:
      return sinpi(x);
    case SystemCall::__cuvette_y0:
      return ::y0(x);
    case SystemCall::__cuvette_y1:
      return ::y1(x);
    case SystemCall::__cuvette_yn:
      return ::yn(static_cast<int>(x), p[1]);
    default:
      return nan;  // is_math_function() says no
  }
}

}  // namespace

bool is_math_function(SystemCall function) {
  switch (function) {
#define X(name, parameters) case SystemCall::name:
    CUVETTE_PTX_MATH_FUNCTIONS(X)
#undef X
    return true;
    default:
      return false;
  }
}

uint64_t math_function(SystemCall function, const uint64_t* parameters) {
  constexpr uint32_t most = 4;
  double values[most] = {};
  for (uint32_t i = 0; i < ptx::parameters_of(function) && i < most; ++i)
    values[i] = std::bit_cast<double>(parameters[i]);
  const double value = value_of(function, values);
  return std::bit_cast<uint64_t>(std::isnan(value) ? nan : value);
}

}  // namespace cuvette::device
