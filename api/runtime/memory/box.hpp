// SPDX-License-Identifier: Apache-2.0
// Copies of boxes: rows of rows of bytes, between memory and arrays. All copies of two and three
// dimensions are one of these.
#pragma once

#include <cuda.h>

#include <optional>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// One end of a copy. Offsets and widths count bytes, in arrays too, as the driver counts them.
struct BoxEnd {
  void* pointer = nullptr;
  size_t pitch = 0;   // from row to row
  size_t height = 0;  // rows from slice to slice
  CUarray array = nullptr;
  size_t x_bytes = 0, y = 0, z = 0;
};

struct BoxExtent {
  size_t width_bytes = 0, height = 1, depth = 1;
};

// Copies rows. Without a stream, returns when the documentation of the synchronous functions says
// so; with one, submits the copy. `kind` says which memory the pointers point to; arrays are device
// memory.
Status copy_rows(BoxEnd to, BoxEnd from, size_t width_bytes, size_t rows, cudaMemcpyKind kind,
                 std::optional<cudaStream_t> stream);

// Writes the driver's description of a copy.
Status describe_box(const BoxEnd& to, const BoxEnd& from, BoxExtent extent, cudaMemcpyKind kind,
                    CUDA_MEMCPY3D* copy);

// Returns the driver's description of what cudaMemcpy3D() and copy nodes of graphs are given: where
// an array takes part, extents and array positions count its elements.
Status describe_copy(const cudaMemcpy3DParms& parameters, CUDA_MEMCPY3D* copy);

// The reverse, for cudaGraphMemcpyNodeGetParams().
Status describe_copy(const CUDA_MEMCPY3D& copy, cudaMemcpy3DParms* parameters);

// Returns in its last argument how many bytes an element of the array has.
Status find_element_bytes(CUarray array, size_t* bytes);

}  // namespace cuvette::runtime
