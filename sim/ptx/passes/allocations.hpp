// SPDX-License-Identifier: Apache-2.0
// alloca, stacksave and stackrestore: memory with a size that is known late lies on the thread's
// stack, after all variables.
#pragma once

#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Runs after inline_calls(). Memory that a function allocates is freed by stackrestore and at the
// kernel's end, not where the function returns. Returns false, with the reason in `diagnostic`, if
// the kernel also has functions that call themselves: their frames lie on the same stack.
bool place_allocations(Body& body, Diagnostic& diagnostic);

}  // namespace cuvette::ptx
