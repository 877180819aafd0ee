// SPDX-License-Identifier: Apache-2.0
// Which function a handle launches, and which handles end with a module.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_registry.hpp"
#include "sim/device/kernel/library.hpp"
#include "sim/device/kernel/module.hpp"
#include "sim/device/kernel/texture_reference.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::driver {

// Finds the function to launch in `context` for a CUfunction, or for a CUkernel passed as one.
// Errors: invalid_handle; as LibraryKernel::function().
Result<Ref<device::Function>> find_launchable(CUfunction handle, device::Context& context);

// Ends the handles of a destroyed module and of its functions and references.
void forget_handles_of(device::Module& module);
// Ends the handles of all modules of a destroyed context, including modules of libraries, which
// load again in the next context.
void forget_module_handles_of(uint64_t generation);

}  // namespace cuvette::driver
