// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_places.hpp"

#include <algorithm>

#include "sim/check/report/project_path.hpp"
#include "sim/check/report/report_frames.hpp"
#include "sim/check/report/report_place.hpp"
#include "sim/os/output.hpp"

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
  if (function.empty()) return false;
  const std::string_view name = without_parameters(function);
  return matches(pattern, function) || matches(pattern, name) ||
         matches(pattern, without_result(name));
}

// `place` is "file:line", or "file+0x12". The pattern may leave out the first folders.
bool is_file(std::string_view place, std::string_view pattern) {
  for (std::string_view one : {place, file_of_place(place)})
    for (;;) {
      if (matches(pattern, one)) return true;
      const size_t slash = one.find('/');
      if (slash == std::string_view::npos) break;
      one.remove_prefix(slash + 1);
    }
  return false;
}

// The pattern may leave out ".so" and the rest of the name.
bool is_library(std::string_view library, std::string_view pattern) {
  return matches(pattern, library) || matches(pattern, library.substr(0, library.find(".so"))) ||
         matches(pattern, library.substr(0, library.find(".so") + 3));
}

struct Pattern {
  std::string_view text;
  bool functions = true, files = true, libraries = false;
};

Pattern read(std::string_view pattern) {
  if (pattern.starts_with("fun:")) return {pattern.substr(4), true, false, false};
  if (pattern.starts_with("lib:")) return {pattern.substr(4), false, false, true};
  return {pattern, true, true, false};
}

bool is_frame(const Frame& frame, const Pattern& pattern, std::string_view program) {
  if (pattern.functions && is_function(frame.function, pattern.text)) return true;
  if (pattern.files && is_file(frame.place, pattern.text)) return true;
  return pattern.libraries &&
         is_library(frame.library.empty() ? last_part(program) : frame.library, pattern.text);
}

bool is_kernel(std::string_view key) { return key == "kernel" || key.ends_with(" kernel"); }
bool is_stack(std::string_view key) { return key.ends_with(" at") || key == "instruction"; }

}  // namespace

bool names_place(const Report& report, std::string_view text) {
  const Pattern pattern = read(text);
  const std::string program = report.program.empty() ? os::program() : report.program;
  if (!report.program.empty() && pattern.libraries && is_library(last_part(program), pattern.text))
    return true;
  return std::ranges::any_of(report.facts, [&](const Fact& fact) {
    const std::string_view value = text_of(fact), key = fact.key;
    if (is_kernel(key)) return pattern.functions && is_function(value, pattern.text);
    if (key.ends_with("source")) return pattern.files && is_file(value, pattern.text);
    return is_stack(key) && std::ranges::any_of(frames_of(value), [&](std::string_view frame) {
             return is_frame(frame_of(frame), pattern, program);
           });
  });
}

std::string function_of(const Report& report) {
  for (const Fact& fact : report.facts) {
    const std::string_view value = text_of(fact), key = fact.key;
    if (is_kernel(key)) return std::string(without_parameters(value));
    if (!is_stack(key)) continue;
    const Frame frame = frame_of(frames_of(value).front());
    if (!frame.function.empty()) return std::string(without_parameters(frame.function));
  }
  return "";
}

std::string suppression_of(const Report& report) {
  const std::string identifier = kind(report.id).identifier;
  if (!report.program.empty()) return identifier + ":lib:" + std::string(last_part(report.program));
  if (const std::vector<FactPlace> places = places_of(report); !places.empty())
    return identifier + ":" + project_path(places[0].place.file) + ":" +
           std::to_string(places[0].place.line);
  if (const std::string function = function_of(report); !function.empty())
    return identifier + ":fun:" + function;
  for (const Fact& fact : report.facts) {
    if (!is_stack(fact.key)) continue;
    const Frame frame = frame_of(frames_of(text_of(fact)).front());
    if (!frame.library.empty()) return identifier + ":lib:" + std::string(frame.library);
  }
  return identifier;
}

}  // namespace cuvette::check
