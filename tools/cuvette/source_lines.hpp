// SPDX-License-Identifier: Apache-2.0
// Lines of source for places in programs that have debug information.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

// Replaces each place without a line, `main+0x1f (./app+0x114f)` or `./app+0x114f`, by `main
// (/src/app.cpp:12)` where the line is known. A place begins the text, or follows "called at" or
// "allocated at".
std::string with_source_lines(const std::string& text);

}  // namespace cuvette::tools
