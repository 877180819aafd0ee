// SPDX-License-Identifier: Apache-2.0
#include "sim/check/profile/json_line.hpp"

#include <cstdio>

namespace cuvette::profile {
namespace {

// Returns how many bytes of `text` make its first character; 0 if they make none.
size_t character(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  const size_t bytes = first < 0x80   ? 1
                       : first < 0xc2 ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                       : first < 0xf5 ? 4
                                      : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (size_t at = 1; at < bytes; ++at)
    if ((byte(at) & 0xc0) != 0x80) return 0;
  if (bytes < 3) return bytes;
  // Longer forms of what is shorter, halves of pairs, and what is beyond the last character.
  const unsigned char second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second >= 0xa0) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second >= 0x90) return 0;
  return bytes;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const size_t bytes = character(text);
    const char first = text[0];
    if (bytes == 0) {
      result += '?';
    } else if (first == '"' || first == '\\') {
      result += '\\';
      result += first;
    } else if (static_cast<unsigned char>(first) < 0x20) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(first));
      result += escaped;
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result + '"';
}

}  // namespace cuvette::profile
