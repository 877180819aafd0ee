// SPDX-License-Identifier: Apache-2.0
// TWINS(name): a kernel with a mistake and its repaired twin, NAME_wrong and NAME_repaired, of the
// same template. All take an array of ints, and as many ints again to work on.
#pragma once

#define TWINS(name)                                                                            \
  template <bool repaired>                                                                     \
  __device__ void name(int* data, int* work);                                                  \
  extern "C" __global__ void name##_wrong(int* data, int* work) { name<false>(data, work); }   \
  extern "C" __global__ void name##_repaired(int* data, int* work) { name<true>(data, work); } \
  template <bool repaired>                                                                     \
  __device__ void name(int* data, int* work)
