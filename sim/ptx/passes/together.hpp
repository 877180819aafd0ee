// SPDX-License-Identifier: Apache-2.0
// Small kernels that call the same functions. Where a kernel contains these functions once
// (once.hpp), all such kernels of a module can share them: the kernels become one body, which
// begins with a jump by the kernel's number.
//
// A target region of OpenMP is a kernel of a few instructions that starts GCC's runtime, and that
// calls everything that any target region calls.
#pragma once

#include <vector>

#include "sim/ptx/passes/inliner.hpp"

namespace cuvette::ptx {

// Returns `kernel`, with its calls in `graph`, and the kernels to compile with it, in the order of
// the text. Kernels that cannot be read are left out.
std::vector<const Function*> find_kernels_alike(CallProgram& program, const Function& kernel,
                                                const CallGraph& graph);

}  // namespace cuvette::ptx
