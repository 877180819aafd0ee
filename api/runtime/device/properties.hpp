// SPDX-License-Identifier: Apache-2.0
// The structure of a device's properties, made of its attributes.
#pragma once

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Fills the properties of a device that exists.
Status find_properties(int device, cudaDeviceProp* properties);

// Finds the device that is nearest to what is asked for; fields that are zero ask for nothing.
Status choose_nearest(int* device, const cudaDeviceProp& asked);

}  // namespace cuvette::runtime
