// SPDX-License-Identifier: Apache-2.0
// The parts of texture objects, in the terms of both APIs. Each function converts to its last
// argument.
#pragma once

#include <cuda.h>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

Status describe_resource(const cudaResourceDesc& from, CUDA_RESOURCE_DESC* to);
Status describe_resource(const CUDA_RESOURCE_DESC& from, cudaResourceDesc* to);

// The runtime names how texels are read; the driver names what is not done to them: integers are
// read as they are unless they are normalised. `resource` decides which applies.
Status describe_texture(const cudaTextureDesc& from, const cudaResourceDesc& resource,
                        CUDA_TEXTURE_DESC* to);
void describe_texture(const CUDA_TEXTURE_DESC& from, cudaTextureDesc* to);

void describe_view(const cudaResourceViewDesc& from, CUDA_RESOURCE_VIEW_DESC* to);
void describe_view(const CUDA_RESOURCE_VIEW_DESC& from, cudaResourceViewDesc* to);

}  // namespace cuvette::runtime
