// SPDX-License-Identifier: Apache-2.0
// Kernel nodes: their parameters and attributes in the C API's form.
//
// Threads: any. Errors: as KernelCall::make(), and for invalid handles.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/graph/graph.hpp"

namespace cuvette::driver {

// `before` is the node's present work; its attributes are kept. It may be null.
Result<device::Work> kernel_work_of(const CUDA_KERNEL_NODE_PARAMS* parameters,
                                    const device::KernelWork* before);
Result<CUDA_KERNEL_NODE_PARAMS> parameters_of(device::KernelWork& work);

}  // namespace cuvette::driver
