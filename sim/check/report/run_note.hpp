// SPDX-License-Identifier: Apache-2.0
// Notes for the `cuvette run` that started the process, if one waits for its end
// (sim/base/run_notes.hpp).
//
// Threads: any.
#pragma once

#include <string>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Notes `word` of this process, or of what `value` names.
void note_for_run(const char* word);
void note_for_run(const char* word, const std::string& value);

// Notes `word` of this process. Returns whether it is the first process of the run to do so; always
// true if no command waits.
bool is_first_to_note(const char* word);

// Notes the report, which goes to `file`, or to none if that is empty; false if no command waits.
bool note_report(const Report& report, const std::string& file);

}  // namespace cuvette::check
