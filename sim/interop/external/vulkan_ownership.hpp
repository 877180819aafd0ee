// SPDX-License-Identifier: Apache-2.0
// Asks the Vulkan layer in this process which memory Vulkan owns.
//
// Threads: any.
#pragma once

#include <vector>

#include "sim/interop/external/ownership_layout.hpp"

namespace cuvette::interop {

// Looks for the layer, if it is not known yet and a check wants it. Call it from the
// program's own calls: the search takes the dynamic linker's lock.
void look_for_vulkan_layer();

// Returns what Vulkan owns now; nothing while the layer is not known.
std::vector<OwnedRange> owned_by_vulkan();

}  // namespace cuvette::interop
