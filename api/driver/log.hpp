// SPDX-License-Identifier: Apache-2.0
// The log of calls that were refused: what cuLogsDumpToMemory() writes and callbacks are told.
//
// Threads: any. Locks: a leaf; callbacks are called without it.
#pragma once

#include "sim/error.hpp"

namespace cuvette::driver {

// Adds that `function`, an address within an entry point, answered with `error`, and the sentence
// that says why, if there is one.
void log_refusal(const void* function, Error error, const char* sentence);

}  // namespace cuvette::driver
