// SPDX-License-Identifier: Apache-2.0
// Translates CUgraphicsMapResourceFlags for the interop room.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/base/error.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::driver {

// "If flags is not one of the above values then CUDA_ERROR_INVALID_VALUE is returned."
inline Result<interop::MapFlags> map_flags(unsigned flags) {
  switch (flags) {
    case CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE:
      return interop::MapFlags::none;
    case CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY:
      return interop::MapFlags::read_only;
    case CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD:
      return interop::MapFlags::write_discard;
    default:
      return refuse(Error::invalid_value, "Flags 0x%x are not 0, READ_ONLY or WRITE_DISCARD.",
                    flags);
  }
}

}  // namespace cuvette::driver
