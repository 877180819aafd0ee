// SPDX-License-Identifier: Apache-2.0
// Creates arrays within the limits of a device's profile, in its memory, and gives the limits of
// its textures.
//
// Threads: any.
#pragma once

#include "sim/base/error.hpp"
#include "sim/device/model/profile.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/device/texture/array_limits.hpp"
#include "sim/device/texture/texture.hpp"

namespace cuvette::device {

ArrayLimits array_limits(const Profile& profile);
TextureLimits texture_limits(const Profile& profile);

// Returns where to count the alignment of a texture's `address` from. That is 0, but the beginning
// of memory that a graphics API has lent: on a GPU that is aligned as all allocations are, while a
// software OpenGL aligns its buffers to 64 bytes.
memory::DevicePtr aligned_from(memory::DevicePtr address);

// Creates an array in memory of `context`. Errors: invalid_value, not_supported: see
// check_array(); out_of_memory.
Result<Ref<Array>> create_array(const Context& context, const ArrayDescriptor& descriptor,
                                const void* call_site);
// Clamps `levels` to between 1 and the most that the size allows.
Result<Ref<MipmappedArray>> create_mipmapped_array(const Context& context,
                                                   const ArrayDescriptor& descriptor,
                                                   unsigned levels, const void* call_site);

// Ends the memory of an array after the work that uses it; later uses of the array are refused.
// Errors: array_is_mapped if it has another owner; invalid_handle if it has ended already.
Result<> end_memory(ArrayStorage& storage);

}  // namespace cuvette::device
