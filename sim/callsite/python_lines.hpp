// SPDX-License-Identifier: Apache-2.0
// Lines of Python, for programs that call from there: their frames of machine code are the
// interpreter's. It is asked by its own interface (Python 3.9 and later); the process has it or
// not.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace cuvette::callsite {

inline constexpr size_t most_python_lines = 16;

// Puts the lines that the calling thread is in into `lines`, the innermost first, and returns how
// many there are; 0 for a thread that runs no Python. Each is a pointer that stands for its line
// for good, the same each time, and points to no code. May wait for the interpreter's lock.
size_t python_lines(const void* (&lines)[most_python_lines]);

// Returns `train (model.py:12)` for such a pointer, and null for any other.
const char* python_line(const void* frame);

}  // namespace cuvette::callsite
