// SPDX-License-Identifier: Apache-2.0
// Translates the C arguments of launches and kernel nodes for sim.
//
// Threads: any. All give these errors: invalid_value; not_supported for attributes that are not
// implemented.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/kernel/kernel_launch.hpp"

namespace cuvette::driver {

// Takes kernelParams or extra.
Result<device::ParameterValues> parameter_values(void* const* kernelParams, void* const* extra);

// Applies an attribute to the shape. Attributes that are hints to a GPU are accepted and
// ignored.
Result<> apply_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value,
                         device::LaunchShape& shape);

Result<device::LaunchShape> shape_of(const CUlaunchConfig& config);

}  // namespace cuvette::driver
