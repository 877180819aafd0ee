// SPDX-License-Identifier: Apache-2.0
// The frames of a stack in a report's text.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuvette::check {

// Returns the frames of a stack as describe_call() joins them, the innermost first.
std::vector<std::string_view> frames_of(std::string_view stack);

// Returns the text with each frame of a stack except the innermost on a separate line.
std::string frames_on_lines(std::string_view text, std::string_view indentation);

// The parts of a frame; empty if unknown.
struct Frame {
  std::string_view function;  // with its parameters, if it has them
  std::string_view place;     // "file:line", or "program+0x34"
  std::string_view library;   // the name of the file that was loaded, if that is not the program
};
Frame frame_of(std::string_view text);

// "f(int)::g(char) const" -> "f(int)::g"; a name without parameters stays.
std::string_view without_parameters(std::string_view function);

// "/home/me/a.cu:7" -> "/home/me/a.cu"; "program+0x34" -> "program".
std::string_view file_of_place(std::string_view place);

// "/home/me/a.cu" -> "a.cu"
std::string_view last_part(std::string_view path);

}  // namespace cuvette::check
