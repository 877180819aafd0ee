// SPDX-License-Identifier: Apache-2.0
// CopyBox: the two places of a CUDA_MEMCPY2D, CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER; and the place of
// a row in an array.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/stream/transfer.hpp"

namespace cuvette::driver {

struct CopyBox {
  device::CopyOperand to, from;
};

// Errors: invalid_value for a null description, a pitch smaller than the row or larger than 2^31 -
// 1, a box that is larger than the address space or that does not lie inside its array;
// invalid_handle; the reason why an array cannot be used.
Result<CopyBox> copy_box_of(const CUDA_MEMCPY2D* description);
Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D* description);
Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D_PEER* description);
// Notes the devices of the contexts of a copy between peers; null is the current context
// (measured). Errors: invalid_context, context_is_destroyed.
Result<> set_peers(CopyBox& box, CUcontext to, CUcontext from);

// Returns `size` bytes of the first row of an array, from byte `offset` on. Errors: as above.
Result<device::CopyOperand> row_of(CUarray array, size_t offset, size_t size);
// Checks two arrays: "The elements must be the same size" (cuMemcpyAtoA). Errors: invalid_value.
Result<> check_same_elements(const device::CopyOperand& one, const device::CopyOperand& other);
// Checks a place in an array: "must be evenly divisible by the array element size". Errors:
// invalid_value.
Result<> check_whole_elements(const device::CopyOperand& place, size_t bytes, const char* what);

}  // namespace cuvette::driver
