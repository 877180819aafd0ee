// SPDX-License-Identifier: Apache-2.0
// The starting point of most cases: the primary context of device 0 is current.
#pragma once

#include "harness.hpp"

inline CUdevice dev = 0;
inline CUcontext ctx = nullptr;

inline void scene() {
  PREPARE(cuInit(0));
  PREPARE(cuDeviceGet(&dev, 0));
  PREPARE(cuDevicePrimaryCtxRetain(&ctx, dev));
  PREPARE(cuCtxSetCurrent(ctx));
}
