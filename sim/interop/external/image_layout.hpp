// SPDX-License-Identifier: Apache-2.0
// Where the software Vulkan drivers put the levels, layers and rows of an image. Both lay out
// VK_IMAGE_TILING_OPTIMAL as they do LINEAR, so an array can be mapped over an image.
//
// Source: vkGetImageSubresourceLayout() of Mesa 22.3.6 and of SwiftShader 156, which a test asks
// again where they are installed.
#pragma once

#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/texture/array_descriptor.hpp"
#include "sim/interop/external/memory_format.hpp"

namespace cuvette::interop {

// Returns the layout of each level of an image in memory of that format, from offset 0 on; in plain
// memory, where the driver is not known, the levels lie as in Cuvette's own arrays. Images that can
// be cube maps must be described as such: SwiftShader gives their faces a border. Errors:
// invalid_value if the image is larger than any memory.
Result<std::vector<device::ArrayLayout>> image_layouts(MemoryFormat format,
                                                       const device::ArrayDescriptor& descriptor,
                                                       unsigned levels);

}  // namespace cuvette::interop
