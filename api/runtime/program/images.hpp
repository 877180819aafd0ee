// SPDX-License-Identifier: Apache-2.0
// The device code of a program that nvcc or clang compiled: its fat binaries, and which
// address of the host means which kernel or variable in them.
//
// The program registers all of it before main() begins and again whenever a shared library of its
// is opened. Nothing is loaded then: the first use of a kernel or variable loads its fat binary as
// a library of the driver, which is of no context and survives cudaDeviceReset().
//
// Threads: any. Invariant: a fat binary cannot be found once it is unregistered.
#pragma once

#include <cstddef>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// One fat binary; to the program it is an opaque handle.
class Image;

Image* register_image(const void* fat_binary);
void unregister_image(Image* image);

// Adds what `image` holds; `host` is the address of the host that means it. The image's text
// has the name, and lives as long as it is registered.
void register_kernel(Image* image, const void* host, const char* name);
void register_variable(Image* image, const void* host, const char* name);
// `pointer` is the host's variable that receives the address of the managed variable.
void register_managed(Image* image, void** pointer, const char* name);

// Loads the fat binary unless it is loaded, and gives its managed variables their addresses.
Status load(Image* image);

// Finds the kernel that `host` means; a cudaKernel_t in place of an address means itself.
// Fails with cudaErrorInvalidDeviceFunction for null and cudaErrorInvalidResourceHandle for an
// address that means none. Measured on an H200.
Status find_kernel(const void* host, CUkernel* kernel);

// The same as a function of the current context. A cudaFunction_t means itself, too.
Status find_function(const void* host, CUfunction* function);

// Returns the host address that means the driver's kernel or function, or the handle itself if
// none does. One of the two may be null.
void* host_address(CUfunction function, CUkernel kernel);

// Finds the variable that `host` means in the current context, and its size in bytes. Either
// pointer may be null. Fails with cudaErrorInvalidSymbol if it means none.
Status find_variable(const void* host, CUdeviceptr* address, std::size_t* bytes);

// Finds `count` bytes of that variable from `offset` on. Fails with cudaErrorInvalidValue if the
// variable has fewer.
Status find_bytes_of_variable(const void* host, std::size_t offset, std::size_t count,
                              void** pointer);

}  // namespace cuvette::runtime
