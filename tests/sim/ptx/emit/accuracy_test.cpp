// SPDX-License-Identifier: Apache-2.0
// Approximate functions stay within the errors that the PTX manual states, for many numbers.
#include <bit>
#include <cmath>
#include <vector>

#include "tests/sim/ptx/emit/forms.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

struct ApproximateFunction {
  const char* text;
  double low, high;  // the range of the arguments
  bool by_exponent;  // arguments of all magnitudes in the range, instead of evenly spaced ones
  double relative, absolute;
  double (*exact)(double);
};

double reciprocal_root(double x) { return 1 / std::sqrt(x); }
double reciprocal(double x) { return 1 / x; }

const ApproximateFunction approximate_functions[] = {
    {"ex2.approx.f32", -149, 128, false, 0x1.6ap-23, 0x1p-149, std::exp2},
    {"ex2.approx.ftz.f32", -125.9, 127.9, false, 0x1.6ap-23, 0, std::exp2},
    {"lg2.approx.f32", 0x1p-149, 0x1p127, true, 0x1.5p-23, 0, std::log2},
    {"lg2.approx.f32", 0.5, 2, false, 0, 0x1.5p-23, std::log2},
    {"sin.approx.f32", -3.14159, 3.14159, false, 0, 0x1.6ap-21, std::sin},
    {"cos.approx.f32", -3.14159, 3.14159, false, 0, 0x1.6ap-21, std::cos},
    {"tanh.approx.f32", -10, 10, false, 0x1p-11, 0, std::tanh},
    {"tanh.approx.f32", 0x1p-149, 0x1p4, true, 0x1p-11, 0, std::tanh},
    {"rsqrt.approx.f32", 0x1p-149, 0x1p127, true, 0x1.12p-23, 0, reciprocal_root},
    {"rsqrt.approx.f32", 1, 4, false, 0x1.12p-23, 0, reciprocal_root},
    {"rcp.approx.ftz.f32", 0x1p-120, 0x1p120, true, 0x1p-23, 0, reciprocal},
    {"sqrt.approx.ftz.f32", 0x1p-120, 0x1p120, true, 0x1p-23, 0, std::sqrt},
};

class Accuracy : public testing::TestWithParam<Vectors> {};

TEST_P(Accuracy, KeepsTheErrorsThatAreStated) {
  constexpr size_t count = 1 << 16;
  const auto forms = all_forms();
  for (const ApproximateFunction& function : approximate_functions) {
    const Form* form = nullptr;
    for (const Form& one : forms)
      if (one.text == function.text) form = &one;
    ASSERT_NE(form, nullptr) << function.text;
    Kernel kernel(module_of_form(*form, "kernel", false), "kernel", GetParam(),
                  {{count / 256, 1, 1}, {256, 1, 1}});
    std::vector<uint64_t> inputs(count), out(count);
    for (size_t n = 0; n < count; ++n) {
      const double part = (static_cast<double>(n) + 0.37) / count;
      const double x =
          function.by_exponent
              ? std::exp2(std::log2(function.low) * (1 - part) + std::log2(function.high) * part)
              : function.low + (function.high - function.low) * part;
      inputs[n] = std::bit_cast<uint32_t>(static_cast<float>(x));
    }
    ASSERT_EQ(kernel(out.data(), uint64_t{0}, inputs.data()), Status::finished);
    double worst = 0, worst_input = 0;
    for (size_t n = 0; n < count; ++n) {
      const double x = std::bit_cast<float>(static_cast<uint32_t>(inputs[n]));
      const double exact = function.exact(x);
      const double ours = std::bit_cast<float>(static_cast<uint32_t>(out[n]));
      const double allowed = std::max(function.absolute, function.relative * std::fabs(exact));
      const double share = ours == exact ? 0 : std::fabs(ours - exact) / allowed;
      if (!(share <= worst)) {
        worst = share;
        worst_input = x;
      }
    }
    EXPECT_LE(worst, 1) << function.text << " of " << worst_input;
    RecordProperty(std::string("share_of_error_") + function.text, std::to_string(worst));
  }
}

// A half number, and the nearest one to a number.
double number_of(uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31), fraction = static_cast<int>(half & 1023);
  const double magnitude = exponent == 31  ? fraction ? std::nan("") : HUGE_VAL
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}
double rounded_to_half(double number) {
  if (number == 0 || !std::isfinite(number)) return number;
  const double unit = std::ldexp(1, std::max(std::ilogb(number), -14) - 10);
  const double rounded = std::nearbyint(number / unit) * unit;
  return std::fabs(rounded) >= 65520 ? std::copysign(HUGE_VAL, number) : rounded;
}

// How CUDA's headers compute a function of half numbers: f(x * before) * after, rounded. There
// hardware's last bits give other numbers than the right ones at these arguments alone, so the
// headers mend the results there. Of hexp2 they mend all alike.
struct HalfFunction {
  const char* text;
  float before, after;
  bool all_are_mended;
  double (*exact)(double);
  std::vector<uint32_t> mended;
};
double power_of_ten(double x) { return std::pow(10, x); }

TEST_P(Accuracy, LastBitsAreHardwaresWhereHeadersMendThem) {
  const HalfFunction functions[] = {
      {"ex2.approx.ftz.f32", 0x1.715476p+0f, 1, false, std::exp, {0x1f79, 0x25cf, 0xc13b, 0xc1ef}},
      {"ex2.approx.ftz.f32", 1, 1, true, std::exp2, {}},
      {"ex2.approx.ftz.f32",
       0x1.a934fp+1f,
       1,
       false,
       power_of_ten,
       {0x34de, 0x9766, 0x9972, 0xa5c4, 0xbf0a}},
      {"lg2.approx.ftz.f32", 1, 0x1.62e43p-1f, false, std::log, {0x160d, 0x3bfe, 0x3c0b, 0x6051}},
      {"lg2.approx.ftz.f32",
       1,
       0x1.344136p-2f,
       false,
       std::log10,
       {0x338f, 0x33f8, 0x57e1, 0x719d}},
  };
  constexpr size_t count = 1 << 16;
  const auto forms = all_forms();
  for (const HalfFunction& function : functions) {
    const auto form =
        std::ranges::find_if(forms, [&](const Form& one) { return one.text == function.text; });
    ASSERT_NE(form, forms.end());
    Kernel kernel(module_of_form(*form, "kernel", false), "kernel", GetParam(),
                  {{count / 256, 1, 1}, {256, 1, 1}});
    std::vector<uint64_t> inputs(count), out(count);
    for (uint32_t n = 0; n < count; ++n)
      inputs[n] = std::bit_cast<uint32_t>(static_cast<float>(number_of(n)) * function.before);
    ASSERT_EQ(kernel(out.data(), uint64_t{0}, inputs.data()), Status::finished);
    std::vector<uint32_t> other;
    for (uint32_t n = 0; n < count; ++n) {
      const double right = rounded_to_half(function.exact(number_of(n)));
      float ours = std::bit_cast<float>(static_cast<uint32_t>(out[n])) * function.after;
      if (function.all_are_mended) ours = std::fma(ours, 0x1p-24f, ours);
      if (!(rounded_to_half(ours) == right || (std::isnan(ours) && std::isnan(right))))
        other.push_back(n);
    }
    EXPECT_EQ(other, function.mended) << function.text << ", " << function.after;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Accuracy, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
