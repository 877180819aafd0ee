// SPDX-License-Identifier: Apache-2.0
// Text for people and programs outside: the standard error stream and files that processes share.
//
// Threads: any. Nothing but write_to_stdout() goes through streams of stdio: the thread may be
// inside them, or hold their lock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
bool append_to_file(const std::string& path, std::string_view text);

// Replaces the file's content by what `change` makes of it (nothing there: empty), so that readers
// find the one or the other, and processes that do the same to it take turns. `refused`: `change`
// returned nothing. Fails where the file's folder takes no new file.
enum class FileChange : uint8_t { done, refused, failed };
FileChange change_file(
    const std::string& path,
    const std::function<std::optional<std::string>(std::string_view content)>& change);

// Returns the process's number, and the file that it executes.
int process_id();
std::string program();

// Returns `name` with that number in place of each %p, which file names in knobs may have.
std::string with_process_id(std::string name);

}  // namespace cuvette::os
