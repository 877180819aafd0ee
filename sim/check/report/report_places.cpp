// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_places.hpp"

#include <algorithm>

#include "sim/check/report/report_frames.hpp"

namespace cuvette::check {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// "f(int)::g(char) const" -> "f(int)::g"; a name without parameters stays.
std::string_view without_parameters(std::string_view function) {
  if (function.ends_with(" const")) function.remove_suffix(6);
  if (!function.ends_with(')')) return function;
  size_t depth = 0;
  for (size_t i = function.size(); i-- > 0;) {
    if (function[i] == ')') ++depth;
    if (function[i] == '(' && --depth == 0) {
      const std::string_view name = function.substr(0, i);
      return name.empty() ? function : name;
    }
  }
  return function;
}

// "void f<int>" -> "f<int>": names of templates begin with the type of their result.
std::string_view without_result(std::string_view function) {
  size_t depth = 0, begin = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return function.substr(begin);
}

bool is_function(std::string_view function, std::string_view pattern) {
  const std::string_view name = without_parameters(function);
  return matches(pattern, function) || matches(pattern, name) ||
         matches(pattern, without_result(name));
}

// `place` is "file:line", or "file+0x12".
bool is_file(std::string_view place, std::string_view pattern) {
  for (const std::string_view one : {place, place.substr(0, place.find_last_of(":+"))})
    if (matches(pattern, one) || matches(pattern, one.substr(one.rfind('/') + 1))) return true;
  return false;
}

// A frame is "function (file:line)", "function+0x12 (file+0x34)", or either part alone.
bool is_frame(std::string_view frame, std::string_view pattern) {
  const size_t open = frame.rfind(" (");
  if (open == std::string_view::npos || !frame.ends_with(')')) return is_file(frame, pattern);
  std::string_view function = frame.substr(0, open);
  function = function.substr(0, function.rfind("+0x"));
  return is_function(function, pattern) ||
         is_file(frame.substr(open + 2, frame.size() - open - 3), pattern);
}

}  // namespace

bool names_place(const Report& report, std::string_view pattern) {
  return std::ranges::any_of(report.facts, [&](const Fact& fact) {
    const auto* const text = std::get_if<std::string>(&fact.value);
    if (!text) return false;
    const std::string_view key = fact.key;
    if (key == "kernel" || key.ends_with(" kernel")) return is_function(*text, pattern);
    if (key.ends_with("source")) return is_file(*text, pattern);
    if (!key.ends_with(" at") && key != "instruction") return false;
    return std::ranges::any_of(frames_of(*text),
                               [&](std::string_view frame) { return is_frame(frame, pattern); });
  });
}

}  // namespace cuvette::check
