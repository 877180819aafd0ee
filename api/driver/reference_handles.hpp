// SPDX-License-Identifier: Apache-2.0
// Handles of texture and surface references. A module's references get one when the program asks
// for them, and lose it with the module.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/module.hpp"
#include "sim/device/texture_reference.hpp"

namespace cuvette::driver {

// Errors: invalid_handle.
Result<Ref<device::TextureReference>> find(CUtexref handle);
Result<Ref<device::SurfaceReference>> find(CUsurfref handle);
// Errors: out_of_memory.
Result<CUtexref> give_handle(device::TextureReference& reference);
Result<CUsurfref> give_handle(device::SurfaceReference& reference);

void forget_handle_of(device::TextureReference& reference);
// Ends the handles of a module's references, when the module ends.
void forget_reference_handles_of(const device::Module& module);

}  // namespace cuvette::driver
