// SPDX-License-Identifier: Apache-2.0
// `cuvette step` on a terminal: keys, and the drawing after each.
//
// Threads: for a process with one thread.
#pragma once

#include "tools/cuvette/step/session.hpp"

namespace cuvette::tools {

// Returns 0 when the user leaves, or the signal that ended it. `ascii`: draws no other characters.
int step_on_terminal(StepSession& session, bool ascii);

}  // namespace cuvette::tools
