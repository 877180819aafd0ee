// SPDX-License-Identifier: Apache-2.0
// Types of device code.
#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__

#include "crt/host_defines.h"

// How a conversion rounds: to the nearest (to even when halfway), towards zero, up, down.
enum cudaRoundMode {
  cudaRoundNearest,
  cudaRoundZero,
  cudaRoundPosInf,
  cudaRoundMinInf,
};

#endif
