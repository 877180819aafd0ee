// SPDX-License-Identifier: Apache-2.0
// Elements of arrays and textures: the runtime counts bits of channels, the driver names formats.
#pragma once

#include <cuda.h>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Says which format and how many channels elements of that description have. Fails with
// cudaErrorInvalidChannelDescriptor if arrays can have no such elements.
Status find_format(const cudaChannelFormatDesc& description, CUarray_format* format,
                   unsigned* channels);

// The reverse. Fails with cudaErrorInvalidChannelDescriptor for formats that the runtime has no
// description of.
Status find_description(CUarray_format format, unsigned channels,
                        cudaChannelFormatDesc* description);

// Returns the driver's description of an array. Flags of both APIs have the same values.
Status describe_array(const cudaChannelFormatDesc& elements, cudaExtent extent, unsigned flags,
                      CUDA_ARRAY3D_DESCRIPTOR* array);

}  // namespace cuvette::runtime
