// SPDX-License-Identifier: Apache-2.0
// What `cuvette step` says of one command: what it waits for, what waits for it, and which others
// that nothing orders with it touch the same bytes.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/step/history.hpp"

namespace cuvette::tools {

// Returns lines of text about a work of the run, as it is at the position.
std::vector<std::string> explanation_of(const History& history, size_t position, size_t work);

}  // namespace cuvette::tools
