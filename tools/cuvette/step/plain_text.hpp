// SPDX-License-Identifier: Apache-2.0
// A StepState as lines of text: for pipes, screen readers and lessons.
//
// Threads: any; a pure function.
#pragma once

#include <string>

#include "tools/cuvette/step/step_state.hpp"

namespace cuvette::tools {

std::string plain_text(const StepState& state);

}  // namespace cuvette::tools
