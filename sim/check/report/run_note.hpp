// SPDX-License-Identifier: Apache-2.0
// Notes for the `cuvette run` that started the process, if one waits for its end
// (sim/base/run_notes.hpp).
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::check {

// Notes `word` of this process, or of what `value` names.
void note_for_run(const char* word);
void note_for_run(const char* word, const std::string& value);

// Notes `word` of this process. Returns whether it is the first of the run to do so; without a
// command that waits, each is.
bool is_first_to_note(const char* word);

// Has the command print the line, which ends with a newline; false if none waits to do so.
bool have_run_print(std::string_view line);

}  // namespace cuvette::check
