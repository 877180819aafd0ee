// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/points.hpp"

#include <algorithm>
#include <cmath>

namespace cuvette::tools {
namespace {

// Longer than any program runs: 292 years.
constexpr double longest = 9.2e18;

// Returns the value at `at` on the line through two points.
double on_line(double at, double x0, double y0, double x1, double y1) {
  return std::clamp(y0 + (y1 - y0) * ((at - x0) / (x1 - x0)), 0.0, longest);
}

std::string number(double value) {
  std::string text = std::to_string(value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

Estimate& Estimate::operator+=(const Estimate& other) {
  p10 = std::min(p10 + other.p10, longest);
  median = std::min(median + other.median, longest);
  p90 = std::min(p90 + other.p90, longest);
  extrapolated |= other.extrapolated;
  return *this;
}

std::string complaint_about(const std::vector<CostPoint>& points) {
  if (points.empty()) return "it has no points";
  for (size_t i = 0; i < points.size(); ++i) {
    const CostPoint& point = points[i];
    for (const double value : {point.at, point.p10, point.median, point.p90})
      if (!std::isfinite(value) || value < 0 || value > longest)
        return "its point " + std::to_string(i + 1) +
               " has a number that is no time and no size: " + number(value);
    if (point.p10 > point.median || point.median > point.p90)
      return "its point at " + number(point.at) + " has p10 " + number(point.p10) + ", median " +
             number(point.median) + ", p90 " + number(point.p90) + ", which are not in order";
    if (i > 0 && point.at <= points[i - 1].at)
      return "its points are not in order: " + number(point.at) + " follows " +
             number(points[i - 1].at);
  }
  return "";
}

Estimate estimate_at(const std::vector<CostPoint>& points, double at) {
  const auto value = [](const CostPoint& point) {
    return Estimate{point.p10, point.median, point.p90, false};
  };
  if (!(at > points.front().at)) return value(points.front());
  if (points.size() == 1) {
    Estimate only = value(points.front());
    only.extrapolated = true;
    return only;
  }
  const auto after =
      std::lower_bound(points.begin(), points.end(), at,
                       [](const CostPoint& point, double wanted) { return point.at < wanted; });
  const bool is_beyond = after == points.end();
  const CostPoint& high = is_beyond ? points.back() : *after;
  const CostPoint& low = is_beyond ? points[points.size() - 2] : *(after - 1);
  Estimate result;
  result.extrapolated = is_beyond;
  result.p10 = on_line(at, low.at, low.p10, high.at, high.p10);
  result.median = on_line(at, low.at, low.median, high.at, high.median);
  result.p90 = on_line(at, low.at, low.p90, high.at, high.p90);
  if (is_beyond) {  // more never costs less
    result.p10 = std::max(result.p10, high.p10);
    result.median = std::max(result.median, high.median);
    result.p90 = std::max(result.p90, high.p90);
    result.median = std::max(result.median, result.p10);
    result.p90 = std::max(result.p90, result.median);
  }
  return result;
}

}  // namespace cuvette::tools
