// SPDX-License-Identifier: Apache-2.0
// Where machine code comes from: the cache on disk, or the compiler, which is loaded when it is
// needed for the first time.
//
// Threads: any.
#pragma once

#include <memory>

#include "sim/error.hpp"
#include "sim/program/machine_code.hpp"
#include "sim/ptx/jit.hpp"

namespace cuvette::device {

// The code of a kernel, ready to run. Errors: invalid_ptx, jit_compiler_not_found, out_of_memory,
// operating_system; each is said on stderr.
Result<std::unique_ptr<MachineCode>> make_machine_code(const ptx::CompileRequest& request);

// The vector units that kernels are compiled for: the processor's, or less if CUVETTE_VECTORS says
// so.
ptx::Vectors vectors();

}  // namespace cuvette::device
