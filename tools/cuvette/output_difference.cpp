// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/output_difference.hpp"

#include <sstream>

namespace cuvette::tools {
namespace {

// Quotes a line, shortened, without control characters.
std::string shown(const std::string& line) {
  constexpr size_t most = 60;
  std::string text = "\"";
  for (const char c : line.substr(0, most))
    text += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return text + (line.size() > most ? "...\"" : "\"");
}

}  // namespace

std::string output_difference(const std::string& expected, const std::string& other) {
  std::istringstream wanted(expected), found(other);
  std::string left, right;
  for (size_t number = 1;; ++number) {
    const bool has_left = static_cast<bool>(std::getline(wanted, left));
    const bool has_right = static_cast<bool>(std::getline(found, right));
    const std::string line = "line " + std::to_string(number);
    if (!has_left && !has_right) return "its end has another number of bytes";
    if (!has_right) return line + " is missing: " + shown(left);
    if (!has_left) return line + " is one more: " + shown(right);
    if (left != right) return line + " is " + shown(right) + ", not " + shown(left);
  }
}

}  // namespace cuvette::tools
