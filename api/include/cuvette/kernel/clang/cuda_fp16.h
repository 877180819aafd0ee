// SPDX-License-Identifier: Apache-2.0
// half and half2 for `cuvette c++`: conversions, arithmetic, comparisons, and functions of them.
// Functions such as hsin() and conversions of pairs to integers are worked out in float.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#if !defined(__clang__) || !defined(__CUDA__)
#error "Cuvette's cuda_fp16.h is for cuvette c++; nvcc has its own"
#endif

#include "../half_types.h"
// half_types.h first: these are about its types.
#include "../half_functions.h"

#endif
