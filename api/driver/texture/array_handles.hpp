// SPDX-License-Identifier: Apache-2.0
// Which arrays, textures and surfaces a call may use, and which handles end with an array.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_registry.hpp"
#include "sim/stream/context.hpp"
#include "sim/texture/array.hpp"
#include "sim/texture/texture.hpp"

namespace cuvette::driver {

// Find only arrays that may be used now. Errors: invalid_handle; the error with which the array's
// owner has taken it back.
Result<Ref<memory::Array>> find_usable(CUarray handle);
Result<Ref<memory::MipmappedArray>> find_usable(CUmipmappedArray handle);
// Find an object of `context`; other contexts do not have it, as measured. Errors: invalid_value.
Result<Ref<memory::Texture>> find_texture(CUtexObject handle, const device::Context& context);
Result<Ref<memory::Surface>> find_surface(CUsurfObject handle, const device::Context& context);

// Ends the handles of an array that is gone, and of all its levels, layers and planes.
void forget_handles_of(memory::Array& array);
void forget_handles_of(memory::MipmappedArray& array);

// Ends the handles of the arrays, textures and surfaces of a context that is gone.
void forget_array_handles_of(uint64_t generation);

}  // namespace cuvette::driver
