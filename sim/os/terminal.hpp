// SPDX-License-Identifier: Apache-2.0
// The terminal that a person may be looking at.
//
// Threads: any.
#pragma once

namespace cuvette::os {

// Whether the standard error stream is a terminal that lines can be overwritten on.
bool stderr_is_terminal();

}  // namespace cuvette::os
