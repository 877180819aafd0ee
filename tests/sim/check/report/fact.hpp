// SPDX-License-Identifier: Apache-2.0
// What a report says under a key.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "sim/check/report/report.hpp"

namespace cuvette::check {

// "(none)" if it says nothing.
inline std::string fact(const Report& report, const std::string& key) {
  for (const Fact& fact : report.facts)
    if (fact.key == key) {
      if (const auto* text = std::get_if<std::string>(&fact.value)) return *text;
      return std::to_string(std::get<uint64_t>(fact.value));
    }
  return "(none)";
}

}  // namespace cuvette::check
