// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_frames.hpp"

namespace cuvette::check {
namespace {

constexpr std::string_view between = ", called from ";
constexpr std::string_view offset = "+0x";

// A place, or a place, a comma and the name of a library.
void read_place(std::string_view text, Frame& frame) {
  const size_t comma = text.rfind(", ");
  frame.place = text.substr(0, comma);
  if (comma != std::string_view::npos) {
    frame.library = text.substr(comma + 2);
  } else if (const size_t plus = text.rfind(offset); plus != std::string_view::npos) {
    frame.library = last_part(text.substr(0, plus));
  }
}

}  // namespace

std::vector<std::string_view> frames_of(std::string_view stack) {
  std::vector<std::string_view> frames;
  for (;;) {
    const size_t end = stack.find(between);
    frames.push_back(stack.substr(0, end));
    if (end == std::string_view::npos) return frames;
    stack.remove_prefix(end + between.size());
  }
}

std::string frames_on_lines(std::string_view text, std::string_view indentation) {
  std::string lines;
  for (const std::string_view frame : frames_of(text)) {
    if (!lines.empty()) lines += "\n" + std::string(indentation) + "called from ";
    lines += frame;
  }
  return lines;
}

// A frame is "function (file:line)", "function (file:line, library)", "function+0x12 (file+0x34)",
// or the place alone.
Frame frame_of(std::string_view text) {
  Frame frame;
  const size_t open = text.rfind(" (");
  if (open == std::string_view::npos || !text.ends_with(')')) {
    read_place(text, frame);
    return frame;
  }
  frame.function = text.substr(0, open);
  frame.function = frame.function.substr(0, frame.function.rfind(offset));
  read_place(text.substr(open + 2, text.size() - open - 3), frame);
  return frame;
}

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

std::string_view file_of_place(std::string_view place) {
  return place.substr(0, place.find_last_of(":+"));
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace cuvette::check
