// SPDX-License-Identifier: Apache-2.0
// Text for people and programs outside: the standard error stream and files that processes share.
//
// Threads: any. Nothing but write_to_stdout() goes through stdio: the thread may be inside it, or
// hold its lock.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::os {

// Writes the text at once, so that lines of several processes do not mix.
void write_to_stderr(std::string_view text);

// Whether a person may be reading the standard error stream.
bool stderr_is_a_terminal();

// Writes through the C library's stdout, so that the text comes in order with what the program
// itself prints. Only called by threads of the program, inside a call of ours.
void write_to_stdout(std::string_view text);

// Appends `text` to the file in one write, making the file if there is none; false if that failed.
bool append_to_file(const std::string& path, std::string_view text);

// Returns the process's number.
int process_id();

// Returns `name` with that number in place of each %p, which file names in knobs may have.
std::string with_process_id(std::string name);

}  // namespace cuvette::os
