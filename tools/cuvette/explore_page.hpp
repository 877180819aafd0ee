// SPDX-License-Identifier: Apache-2.0
// The page of `cuvette explore --html`: a run that fails, and beside it one that passes.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

#include "tools/cuvette/explore_answer.hpp"
#include "tools/cuvette/explore_runs.hpp"

namespace cuvette::tools {

// Runs the program again in the order of the answer and in the order of submission, records both
// runs, with the check for races as far as they end in the same way with it, and writes the page.
// Says what the page shows, or why there is none. Returns false if the file cannot be written.
bool write_page(const std::string& file, const Answer& answer, Runs& runs);

}  // namespace cuvette::tools
