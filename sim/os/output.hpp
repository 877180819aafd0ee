// SPDX-License-Identifier: Apache-2.0
// Text for people and programs outside: the standard error stream and files that processes share.
//
// Threads: any. Nothing but write_to_stdout() goes through streams of stdio: the thread may be
// inside them, or hold their lock.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::os {

// Writes the text at once, so that lines of several processes do not mix.
void write_to_stderr(std::string_view text);

// Writes "cuvette: ", the sentence and an end of line in the same way. All that Cuvette says of
// itself on the standard error stream is said here; reports and what kernels print have forms of
// their own. Allocates only for a sentence of more than a thousand bytes.
[[gnu::cold]] [[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

// Writes through the C library's stdout, so that the text comes in order with what the program
// itself prints. Only called by threads of the program, inside a call of ours.
void write_to_stdout(std::string_view text);

// Appends `text` to the file in one write, making the file if there is none; false if that failed.
// Where the disk is full, nothing of it is left in a regular file.
bool append_to_file(const std::string& path, std::string_view text);

// Returns the process's number, the file that it executes, and the words that it was started with,
// separated by blanks.
int process_id();
std::string program();
std::string command_line();

// Returns `name` with that number in place of each %p, which file names in knobs may have.
std::string with_process_id(std::string name);

}  // namespace cuvette::os
