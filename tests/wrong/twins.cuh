// SPDX-License-Identifier: Apache-2.0
// TWINS(name): a kernel with a mistake and its repaired twin, NAME_wrong and NAME_repaired, of the
// same template. Both take an array of ints, and as many ints again to work on. TWINS_OF is for
// kernels that take something else.
#pragma once

#define TWINS_OF(name, parameters, arguments)                                     \
  template <bool repaired>                                                        \
  __device__ void name parameters;                                                \
  extern "C" __global__ void name##_wrong parameters { name<false> arguments; }   \
  extern "C" __global__ void name##_repaired parameters { name<true> arguments; } \
  template <bool repaired>                                                        \
  __device__ void name parameters

#define TWINS(name) TWINS_OF(name, (int* data, int* work), (data, work))
