// SPDX-License-Identifier: Apache-2.0
// Translates signals and waits of external semaphores from the C API's form, and back for graphs.
//
// Threads: any.
#pragma once

#include <vector>

#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/base/error.hpp"
#include "sim/device/graph/graph.hpp"
#include "sim/device/stream/external_semaphore.hpp"

namespace cuvette::driver {

// Translates `count` operations, which may be 0. Errors: invalid_value for null arrays and for
// invalid handles.
template <typename Parameters>
Result<std::vector<device::SemaphoreOperation>> semaphore_operations(
    const CUexternalSemaphore* semaphores, const Parameters* parameters, unsigned count) {
  if (count > 0 && (!semaphores || !parameters))
    return refuse(Error::invalid_value, "The number of semaphores is %u, but an array is null.",
                  count);
  std::vector<device::SemaphoreOperation> operations;
  for (unsigned i = 0; i < count; ++i) {
    operations.push_back({TRY(find(semaphores[i])), parameters[i].params.fence.value,
                          reinterpret_cast<uintptr_t>(semaphores[i])});
  }
  return operations;
}

// Translates the parameters of a node and ignores their flags and reserved fields (as measured):
// CUDA_EXT_SEM_SIGNAL_NODE_PARAMS or CUDA_EXT_SEM_WAIT_NODE_PARAMS, and their other versions.
// Errors: as above.
template <typename NodeParameters>
Result<device::Work> semaphore_work_of(const NodeParameters* parameters);
// The arrays in the result belong to the node.
template <typename NodeParameters>
NodeParameters semaphore_parameters_of(device::SemaphoreWork& work);

}  // namespace cuvette::driver
