// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_frames.hpp"

namespace cuvette::check {
namespace {

constexpr std::string_view between = ", called from ";

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

}  // namespace cuvette::check
