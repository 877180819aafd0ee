// SPDX-License-Identifier: Apache-2.0
// The functions and places that a report names: those of its kernels, and each frame of its stacks.
//
// Threads: any; pure functions.
#pragma once

#include <string_view>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Whether `pattern`, in which `*` stands for any text, is a function that the report names (with or
// without its parameters), or a file (with or without its folder, and with or without `:line`).
bool names_place(const Report& report, std::string_view pattern);

}  // namespace cuvette::check
