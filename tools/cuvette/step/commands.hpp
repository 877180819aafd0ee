// SPDX-License-Identifier: Apache-2.0
// The words of `cuvette step`, as they are typed after the prompt of --plain.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

#include "tools/cuvette/step/session.hpp"

namespace cuvette::tools {

struct Done {
  StepSession::Answer answer;
  bool changed = false;  // the state is another one, or is wanted again
  bool quits = false;
};

// Does what a line says.
Done obey(StepSession& session, const std::string& line);
const char* words_of_step();  // what the lines may be

}  // namespace cuvette::tools
