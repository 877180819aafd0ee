// SPDX-License-Identifier: Apache-2.0
// MachineCode: what a kernel was compiled to, ready to run.
//
// Threads: plain values, which do not change once they are made.
#pragma once

#include <memory>

#include "sim/os/executable_memory.hpp"
#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::ptx {

// A kernel's machine code for one class of blocks, ready to run.
struct MachineCode {
  std::shared_ptr<const os::ExecutableMemory> memory;  // may hold other kernels' code, too
  KernelEntry* entry = nullptr;
  CompiledKernel facts;  // without the code itself
};

}  // namespace cuvette::ptx
