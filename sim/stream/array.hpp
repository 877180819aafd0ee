// SPDX-License-Identifier: Apache-2.0
// Arrays as a device makes them: within the limits of its profile, in its memory. The limits of its
// textures.
//
// Threads: any.
#pragma once

#include "sim/error.hpp"
#include "sim/model/profile.hpp"
#include "sim/stream/context.hpp"
#include "sim/texture/array.hpp"
#include "sim/texture/array_limits.hpp"
#include "sim/texture/texture.hpp"

namespace cuvette::device {

memory::ArrayLimits array_limits(const Profile& profile);
memory::TextureLimits texture_limits(const Profile& profile);

// In memory of `context`. Errors: invalid_value, not_supported: see memory::check_array();
// out_of_memory.
Result<Ref<memory::Array>> create_array(const Context& context,
                                        const memory::ArrayDescriptor& descriptor,
                                        const void* call_site);
// `levels` is cut to what there can be, 1 at least.
Result<Ref<memory::MipmappedArray>> create_mipmapped_array(
    const Context& context, const memory::ArrayDescriptor& descriptor, unsigned levels,
    const void* call_site);

// Ends the memory of arrays; whoever still holds one finds it refused. The work that uses it ends
// first. Errors: array_is_mapped if it is somebody's; invalid_handle if it has ended already.
Result<> end_memory(memory::ArrayStorage& storage);

}  // namespace cuvette::device
