// SPDX-License-Identifier: Apache-2.0
// SharedTimeline: a timeline semaphore, made by Vulkan and imported by CUDA. Its value only rises:
// who signals sets it, who waits goes on when it has been reached, queues and streams alike.
#pragma once

#include <cuda.h>

#include "examples/wave/device.hpp"
#include "examples/wave/need_vulkan.hpp"

namespace wave {

class SharedTimeline {
 public:
  // It begins with 0.
  explicit SharedTimeline(const Device& device);
  ~SharedTimeline();
  SharedTimeline(const SharedTimeline&) = delete;
  SharedTimeline& operator=(const SharedTimeline&) = delete;

  // CUDA: submits a wait, or a signal, to a stream.
  void wait(CUstream stream, uint64_t value) const;
  void signal(CUstream stream, uint64_t value) const;

  // Vulkan: describes a wait before this stage of the work, or a signal after it, to be submitted.
  VkSemaphoreSubmitInfo at(uint64_t value, VkPipelineStageFlags2 stage) const;

 private:
  Semaphore semaphore_;
  CUexternalSemaphore imported_;
};

}  // namespace wave
