// SPDX-License-Identifier: Apache-2.0
// Names in texts of PTX, LLVM and assembly: each stands alone, not as a part of a longer one.
//
// Threads: any.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace cuvette::tools {

// Whether a name of any of these languages may have the character without quotation marks.
inline bool of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
}

// Returns where `name` occurs in `text` as a whole word, from `at` on; npos if nowhere.
inline size_t find_name(std::string_view text, std::string_view name, size_t at = 0) {
  for (at = text.find(name, at); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !of_a_name(text[at - 1])) && (end == text.size() || !of_a_name(text[end])))
      return at;
  }
  return std::string_view::npos;
}

inline bool has_name(std::string_view text, std::string_view name) {
  return find_name(text, name) != std::string_view::npos;
}

// Returns the end of the name that begins at `begin`.
inline size_t end_of_name(std::string_view text, size_t begin) {
  while (begin < text.size() && of_a_name(text[begin])) ++begin;
  return begin;
}

// Replaces a name wherever it stands as a whole word.
inline void replace_name(std::string& text, std::string_view name, std::string_view other) {
  for (size_t at = 0; (at = find_name(text, name, at)) != std::string::npos; at += other.size())
    text.replace(at, name.size(), other);
}

}  // namespace cuvette::tools
