// SPDX-License-Identifier: Apache-2.0
// alloca, stacksave and stackrestore: memory of a thread whose size is known late lies on its
// stack, behind all variables.
#pragma once

#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Of a body behind inline_calls(). What a function has allocated is given back by stackrestore and
// at the kernel's end, not where the function returns. False, with the reason in `diagnostic`,
// beside functions that call themselves, whose frames lie there.
bool place_allocations(Body& body, Diagnostic& diagnostic);

}  // namespace cuvette::ptx
