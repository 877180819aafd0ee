// SPDX-License-Identifier: Apache-2.0
// CopyBox: what a CUDA_MEMCPY2D, CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER asks for, as two regions.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/transfer.hpp"

namespace cuvette::driver {

struct CopyBox {
  device::Place to, from;
};

// Errors: invalid_value for a null description, a pitch smaller than the row or larger than 2^31 -
// 1, a box that is larger than the address space; not_supported for arrays.
Result<CopyBox> copy_box_of(const CUDA_MEMCPY2D* description);
Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D* description);
Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D_PEER* description);

}  // namespace cuvette::driver
