// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/time_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace cuvette::tools {

std::string time_text(double ns) {
  static constexpr std::array<const char*, 4> units = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  const double sign = ns < 0 ? -1 : 1;
  double value = std::abs(ns);
  while (unit + 1 < units.size() && value >= 999.5) {
    value /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, sign * value, units[unit]);
  return text;
}

}  // namespace cuvette::tools
