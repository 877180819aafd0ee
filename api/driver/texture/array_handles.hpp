// SPDX-License-Identifier: Apache-2.0
// Which arrays, textures and surfaces a call may use, and which handles end with an array.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_registry.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/device/texture/texture.hpp"

namespace cuvette::driver {

device::ArrayDescriptor descriptor_of(const CUDA_ARRAY3D_DESCRIPTOR& description);

// Find only arrays that may be used now. Errors: invalid_handle; the error that the
// array's owner set when it took the array back.
Result<Ref<device::Array>> find_usable(CUarray handle);
Result<Ref<device::MipmappedArray>> find_usable(CUmipmappedArray handle);
// Find an object of `context`. Measured: other contexts do not have it. Errors: invalid_value.
Result<Ref<device::Texture>> find_texture(CUtexObject handle, const device::Context& context);
Result<Ref<device::Surface>> find_surface(CUsurfObject handle, const device::Context& context);

// Ends the handles of a destroyed array and of all its levels, layers and planes.
void forget_handles_of(device::Array& array);
void forget_handles_of(device::MipmappedArray& array);

// Ends the handles of the arrays, textures and surfaces of a destroyed context.
void forget_array_handles_of(uint64_t generation);

}  // namespace cuvette::driver
