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

// Returns the text with each frame of a stack but the innermost on a line of its own.
std::string frames_on_lines(std::string_view text, std::string_view indentation);

}  // namespace cuvette::check
