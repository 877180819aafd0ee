// SPDX-License-Identifier: Apache-2.0
// What launches and kernel nodes are told in C, as sim has it.
//
// Threads: any. Errors of all: invalid_value; not_supported for attributes that are not
// implemented.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/kernel.hpp"

namespace cuvette::driver {

// kernelParams or extra.
Result<device::ParameterValues> parameter_values(void* const* kernelParams, void* const* extra);

// What an attribute means for the shape; those that a GPU takes as hints are taken and mean
// nothing.
Result<> apply_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value,
                         device::LaunchShape& shape);

Result<device::LaunchShape> shape_of(const CUlaunchConfig& config);

}  // namespace cuvette::driver
