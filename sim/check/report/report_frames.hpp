// SPDX-License-Identifier: Apache-2.0
// The functions and places that a report names: those of its kernels, and each frame of its stacks.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Returns the frames of a stack as describe_call() joins them, the innermost first.
std::vector<std::string_view> frames_of(std::string_view stack);

// Returns the text with each frame of a stack but the innermost on a line of its own.
std::string frames_on_lines(std::string_view text, std::string_view indentation);

// Whether `pattern`, in which `*` stands for any text, is a function that the report names (with or
// without its parameters), or a file (with or without its folder, and with or without `:line`).
bool names_place(const Report& report, std::string_view pattern);

}  // namespace cuvette::check
