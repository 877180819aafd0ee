// SPDX-License-Identifier: Apache-2.0
// Gets machine code from the cache on disk or from the compiler, which is loaded when it is first
// needed.
//
// Threads: any.
#pragma once

#include <memory>

#include "sim/base/error.hpp"
#include "sim/ptx/abi/jit.hpp"
#include "sim/ptx/program/machine_code.hpp"

namespace cuvette::ptx {

// Returns the code of a kernel, ready to run. Errors: invalid_ptx, jit_compiler_not_found,
// out_of_memory, operating_system; each is also reported on stderr.
Result<std::unique_ptr<MachineCode>> make_machine_code(const CompileRequest& request);

// Returns the vector units that kernels are compiled for: the processor's, or narrower ones if
// CUVETTE_VECTORS says so.
Vectors vectors();

}  // namespace cuvette::ptx
