// SPDX-License-Identifier: Apache-2.0
// Kernels that call the same functions, and are little without them: where these stand in a kernel
// once (once.hpp) they can stand there for all such kernels of a module. They become one body,
// which begins with a jump by the kernel's number.
//
// A target region of OpenMP is a kernel of a few instructions that starts GCC's runtime, and that
// calls whatever any target region does.
#pragma once

#include <vector>

#include "sim/ptx/passes/inliner.hpp"

namespace cuvette::ptx {

// `kernel`, whose calls `graph` has, and those that go together with it, in the order of the text.
// What cannot be read is none of them.
std::vector<const Function*> find_kernels_alike(CallProgram& program, const Function& kernel,
                                                const CallGraph& graph);

}  // namespace cuvette::ptx
