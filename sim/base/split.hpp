// SPDX-License-Identifier: Apache-2.0
// Lists in one text, such as PATH.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace cuvette {

// Returns the parts between the separators, empty ones too: one more than there are separators.
inline std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(separator, begin), list.size());
    parts.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace cuvette
