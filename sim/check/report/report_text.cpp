// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

std::string_view text_of(const Fact& fact) {
  const auto* const text = std::get_if<std::string>(&fact.value);
  return text ? std::string_view(*text) : std::string_view();
}

}  // namespace cuvette::check
