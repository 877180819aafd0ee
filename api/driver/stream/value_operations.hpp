// SPDX-License-Identifier: Apache-2.0
// Translates stream memory operations between the C API's form and the form that streams and graphs
// use.
#pragma once

#include <span>
#include <vector>

#include "api/driver/cuda.hpp"
#include "sim/device/stream/value_operation.hpp"

namespace cuvette::driver {

// Errors: invalid_value for flags or a type that do not exist; not_supported if writes of other
// devices would have to be flushed.
Result<device::ValueOperation> wait_operation(CUdeviceptr address, uint64_t value, uint8_t bytes,
                                              unsigned flags);
Result<device::ValueOperation> write_operation(CUdeviceptr address, uint64_t value, uint8_t bytes,
                                               unsigned flags);
// "count: The number of operations in the array. Must be less than 256." "flags: Reserved for
// future expansion; must be 0." Errors: invalid_value for these and for a null array; as above.
Result<std::vector<device::ValueOperation>> operations_of(const CUstreamBatchMemOpParams* array,
                                                          unsigned count, unsigned flags);
// Returns the same operation in the C API's form, for what was captured.
CUstreamBatchMemOpParams parameters_of(const device::ValueOperation& operation);

}  // namespace cuvette::driver
