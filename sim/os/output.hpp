// SPDX-License-Identifier: Apache-2.0
// Text for people and programs outside: the standard error stream and files that processes share.
//
// Threads: any. But for write_to_stdout() nothing goes through stdio: the thread may be inside it,
// or hold its lock.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::os {

// In one write, so that lines of several processes do not mix.
void write_to_stderr(std::string_view text);

// Whether a person may be reading it.
bool stderr_is_a_terminal();

// Through the C library's stdout, so that it comes in order with what the program prints itself. By
// a thread of the program that is inside a call of ours.
void write_to_stdout(std::string_view text);

// Appends `text` to the file in one write, making the file if there is none; false if that failed.
bool append_to_file(const std::string& path, std::string_view text);

// The process's number.
int process_id();

// `name` with that number for each %p, as names of files in knobs may have it.
std::string with_process_id(std::string name);

}  // namespace cuvette::os
