// SPDX-License-Identifier: Apache-2.0
// The primary context of device 0 for a program of a test, and what the program makes in it: the
// end of the program leaves nothing behind.
#pragma once

#include <cuda.h>

#include <functional>
#include <utility>
#include <vector>

#include "tests/need.hpp"

// The context is current while it lives. At its end all work is done, what `at_end` was told is
// freed, the last first, and the context ends, with its streams, events and modules.
class PrimaryContext {
 public:
  PrimaryContext() {
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
  }
  ~PrimaryContext() {
    NEED(cuCtxSynchronize());
    for (; !frees_.empty(); frees_.pop_back()) frees_.back()();
    NEED(cuDevicePrimaryCtxRelease(0));
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  void at_end(std::function<void()> free) const { frees_.push_back(std::move(free)); }

  CUdeviceptr device_memory(size_t bytes) const {
    CUdeviceptr memory = 0;
    NEED(cuMemAlloc(&memory, bytes));
    at_end([memory] { NEED(cuMemFree(memory)); });
    return memory;
  }
  void* pinned_memory(size_t bytes) const {
    void* memory = nullptr;
    NEED(cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP));
    at_end([memory] { NEED(cuMemFreeHost(memory)); });
    return memory;
  }

  CUcontext context = nullptr;

 private:
  // A program that changes nothing else of itself may still make something.
  mutable std::vector<std::function<void()>> frees_;
};
