// SPDX-License-Identifier: Apache-2.0
// What the commands of the course take from the environment, and what they do not.
//
// Threads: for a process with one thread.
#pragma once

namespace cuvette::tools {

// Removes Cuvette's knobs from the environment, so that a grade does not depend on them, except
// those that only say where and how fast.
void forget_own_knobs();

// Whether the locale has UTF-8.
bool has_utf8();

}  // namespace cuvette::tools
