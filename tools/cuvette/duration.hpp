// SPDX-License-Identifier: Apache-2.0
// Durations on the command line: `90`, `1.5m`, `2h`.
//
// Threads: any; a pure function.
#pragma once

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace cuvette::tools {

// Returns the seconds of a positive number that `s`, `m`, `h` or nothing follows; nothing if it is
// something else.
inline std::optional<double> seconds_of(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.smh") != std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string_view unit(end);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = number * factor;
  if (end == text.c_str() || !std::isfinite(seconds) || seconds <= 0) return std::nullopt;
  return seconds;
}

}  // namespace cuvette::tools
