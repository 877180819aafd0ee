// SPDX-License-Identifier: Apache-2.0
// Elements of arrays and textures: the runtime counts bits of channels, the driver names formats.
#pragma once

#include <cuda.h>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Finds the format and the number of channels of elements with that description. Fails with
// cudaErrorInvalidChannelDescriptor if arrays cannot have such elements.
Status find_format(const cudaChannelFormatDesc& description, CUarray_format* format,
                   unsigned* channels);

// The reverse. Fails with cudaErrorInvalidChannelDescriptor for formats that the runtime cannot
// describe.
Status find_description(CUarray_format format, unsigned channels,
                        cudaChannelFormatDesc* description);

// Returns the driver's description of an array. Flags of both APIs have the same values.
Status describe_array(const cudaChannelFormatDesc& elements, cudaExtent extent, unsigned flags,
                      CUDA_ARRAY3D_DESCRIPTOR* array);

}  // namespace cuvette::runtime
