// SPDX-License-Identifier: Apache-2.0
// The scene of every driver benchmark: the driver is up and device 0's primary context is current.
#pragma once

#include "examples/need.hpp"

namespace cuvette::bench {

inline void set_scene() {
  static CUcontext context = nullptr;
  if (!context) {
    CUdevice device;
    NEED(cuInit(0));
    NEED(cuDeviceGet(&device, 0));
    NEED(cuDevicePrimaryCtxRetain(&context, device));
  }
  NEED(cuCtxSetCurrent(context));
}

struct Streams {
  Streams() {
    set_scene();
    NEED(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  }
  ~Streams() {
    cuCtxSynchronize();
    cuStreamDestroy(a);
    cuStreamDestroy(b);
  }
  CUstream a, b;
};

struct Buffer {
  explicit Buffer(size_t size) {
    set_scene();
    NEED(cuMemAlloc(&address, size));
    NEED(cuMemsetD8(address, 1, size));
    NEED(cuCtxSynchronize());
  }
  ~Buffer() { cuMemFree(address); }
  CUdeviceptr address;
};

}  // namespace cuvette::bench
