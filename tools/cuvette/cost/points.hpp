// SPDX-License-Identifier: Apache-2.0
// Times measured at some sizes, and what follows for the others: linear between two points, the
// last slope beyond the last one, the first point's value before it.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

// Nanoseconds of one call: what nine of ten calls take at least, half of them, and nine of ten at
// most.
struct Estimate {
  double p10 = 0, median = 0, p90 = 0;
  bool extrapolated = false;  // beyond the last point

  Estimate& operator+=(const Estimate& other);
};

// A time that was measured: at a size, a number of resources, ...
struct CostPoint {
  double at = 0;
  double p10 = 0, median = 0, p90 = 0;
};

// Returns what is wrong with the points of a row; empty if nothing is. They have to be in order,
// finite and not negative, and there has to be one.
std::string complaint_about(const std::vector<CostPoint>& points);

// Returns the time at `at`. The points must be ones that nothing is wrong with. The result is
// finite, not negative, and its parts are in order.
Estimate estimate_at(const std::vector<CostPoint>& points, double at);

}  // namespace cuvette::tools
