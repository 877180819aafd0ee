// SPDX-License-Identifier: Apache-2.0
// The functions and places that a report names: its kernels' and each frame of its stacks.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <string_view>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Whether `pattern`, in which `*` matches any text, is a function that the report names (with or
// without its parameters), or a file (with or without its folders, and with or without `:line`).
// After "fun:" it is a function alone, after "lib:" the library or program that a frame is in.
bool names_place(const Report& report, std::string_view pattern);

// Returns the kernel that the report is about, or the innermost function of its first stack; empty
// if it names neither.
std::string function_of(const Report& report);

// Returns the pattern that suppresses this report and as few others as possible:
// "unordered-access:src/pipeline.cu:22".
std::string suppression_of(const Report& report);

}  // namespace cuvette::check
