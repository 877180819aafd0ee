// SPDX-License-Identifier: Apache-2.0
// Barriers of the block with a predicate: a branch leads around each of them, so that everything
// that is done for barriers between branches is done for them, too.
//
// Threads: plain functions.
#pragma once

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Returns whether there are any.
bool guard_barriers(Body& body);

}  // namespace cuvette::ptx
