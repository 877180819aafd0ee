// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/readable.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace cuvette::tools {
namespace {

// Returns the length of the character of UTF-8 at the beginning of the text, which is not empty; 0
// if there is none.
size_t length_of_character(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t at = 1; at < length; ++at)
    if (byte(at) >> 6 != 2) return 0;
  // Longer than necessary, one half of a pair of UTF-16, or beyond the last character.
  const unsigned second = byte(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

// Appends the picture of a control character: U+2400 to U+241F, or U+2421 for DEL.
void add_picture(std::string& text, unsigned char control) {
  text += "\xe2\x90";
  text += static_cast<char>(control == 0x7f ? 0xa1 : 0x80 + control);
}

}  // namespace

std::string readable(std::string_view text, size_t most) {
  constexpr std::string_view ellipsis = "\xe2\x80\xa6", unknown = "\xef\xbf\xbd";
  // Nearly all are so.
  if (text.size() <= most && std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; }))
    return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const size_t before = shown.size();
    const size_t length = length_of_character(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0)
      shown += unknown;
    else if (first < 0x20 || first == 0x7f)
      add_picture(shown, first);
    else
      shown += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
    if (shown.size() > most) {
      shown.resize(before);
      return shown += ellipsis;
    }
  }
  return shown;
}

std::string without_addresses(std::string_view text) {
  constexpr size_t digits = 6;
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    if (text.substr(at, 2) == "0x") {
      end += 2;
      while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end]))) ++end;
    }
    if (end >= at + 2 + digits) {
      shown += "0x...";
      at = end;
    } else {
      shown += text[at++];
    }
  }
  return shown;
}

}  // namespace cuvette::tools
