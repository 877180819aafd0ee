// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/shared_timeline.hpp"

#include <cstring>

#include "examples/need.hpp"

namespace wave {
namespace {

Semaphore create_semaphore(const Device& device) {
  const VkExportSemaphoreCreateInfo exported{
      .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .pNext = &exported,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                       .initialValue = 0};
  return Semaphore(device, VkSemaphoreCreateInfo{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                                 .pNext = &type});
}

}  // namespace

SharedTimeline::SharedTimeline(const Device& device) : semaphore_(create_semaphore(device)) {
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle;
  std::memset(&handle, 0, sizeof handle);
  handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  handle.handle.fd = device.export_fd(semaphore_);
  NEED(cuImportExternalSemaphore(&imported_, &handle));  // the descriptor is CUDA's now
}

SharedTimeline::~SharedTimeline() { cuDestroyExternalSemaphore(imported_); }

void SharedTimeline::wait(CUstream stream, uint64_t value) const {
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS parameters;
  std::memset(&parameters, 0, sizeof parameters);
  parameters.params.fence.value = value;
  NEED(cuWaitExternalSemaphoresAsync(&imported_, &parameters, 1, stream));
}

void SharedTimeline::signal(CUstream stream, uint64_t value) const {
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters;
  std::memset(&parameters, 0, sizeof parameters);
  parameters.params.fence.value = value;
  NEED(cuSignalExternalSemaphoresAsync(&imported_, &parameters, 1, stream));
}

VkSemaphoreSubmitInfo SharedTimeline::at(uint64_t value, VkPipelineStageFlags2 stage) const {
  return {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
          .semaphore = semaphore_,
          .value = value,
          .stageMask = stage};
}

}  // namespace wave
