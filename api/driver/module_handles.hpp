// SPDX-License-Identifier: Apache-2.0
// Handles of modules, functions, libraries, kernels and links.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_table.hpp"
#include "sim/device/context.hpp"
#include "sim/device/library.hpp"
#include "sim/device/link.hpp"
#include "sim/device/module.hpp"

namespace cuvette::driver {

extern HandleTable<device::Module> module_handles;
extern HandleTable<device::Function> function_handles;
extern HandleTable<device::Library> library_handles;
extern HandleTable<device::LibraryKernel> kernel_handles;

// Errors: invalid_handle.
Result<Ref<device::Module>> find(CUmodule handle);
Result<Ref<device::Function>> find(CUfunction handle);
Result<Ref<device::Library>> find(CUlibrary handle);
Result<Ref<device::LibraryKernel>> find(CUkernel handle);
// Finds what can be launched in `context`: a function, or a kernel that is passed as one. Errors:
// invalid_handle; those of LibraryKernel::function().
Result<Ref<device::Function>> find_launchable(CUfunction handle, device::Context& context);

// Return the handle, which the first call makes. Errors: out_of_memory.
Result<CUmodule> give_handle(device::Module& module);
Result<CUfunction> give_handle(device::Function& function);
Result<CUlibrary> give_handle(device::Library& library);
Result<CUkernel> give_handle(device::LibraryKernel& kernel);

// Ends the handles of a module that is gone, and of its functions.
void forget_handles_of(device::Module& module);
// Ends the handles of the modules of a context that is gone, also of those of libraries, which load
// again in the next context.
void forget_module_handles_of(uint64_t generation);

}  // namespace cuvette::driver
