// SPDX-License-Identifier: Apache-2.0
// Handles of arrays, texture objects and surface objects. Arrays get one when the program is told
// of them for the first time.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_table.hpp"
#include "sim/device/context.hpp"
#include "sim/memory/array.hpp"
#include "sim/memory/texture.hpp"

namespace cuvette::driver {

extern HandleTable<memory::Array> array_handles;
extern HandleTable<memory::MipmappedArray> mipmapped_array_handles;
extern HandleTable<memory::Texture> texture_handles;
extern HandleTable<memory::Surface> surface_handles;

// Errors: invalid_handle.
Result<Ref<memory::Array>> find(CUarray handle);
Result<Ref<memory::MipmappedArray>> find(CUmipmappedArray handle);
// Those that may be used now. Errors: invalid_handle; why the array's owner has taken it back.
Result<Ref<memory::Array>> find_usable(CUarray handle);
Result<Ref<memory::MipmappedArray>> find_usable(CUmipmappedArray handle);
// Of `context`: no other has them, as measured. Errors: invalid_value.
Result<Ref<memory::Texture>> find_texture(CUtexObject handle, const device::Context& context);
Result<Ref<memory::Surface>> find_surface(CUsurfObject handle, const device::Context& context);

// The handle of an array, which it gets if it has none yet. Errors: out_of_memory.
Result<CUarray> give_handle(memory::Array& array);
Result<CUmipmappedArray> give_handle(memory::MipmappedArray& array);

// The arrays are gone, with all their levels, layers and planes: so are their handles.
void forget_handles_of(memory::Array& array);
void forget_handles_of(memory::MipmappedArray& array);

// A context is gone: so are the handles of its arrays, textures and surfaces.
void forget_array_handles_of(uint64_t generation);

}  // namespace cuvette::driver
