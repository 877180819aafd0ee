// SPDX-License-Identifier: Apache-2.0
// bfloat16 and pairs of it for `cuvette c++`: conversions, arithmetic, comparisons, and functions
// of them. Functions such as hsin() are worked out in float.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#if !defined(__clang__) || !defined(__CUDA__)
#error "Cuvette's cuda_bf16.h is for cuvette c++; nvcc has its own"
#endif

#include "../bfloat16_types.h"
// bfloat16_types.h first: these are about its types.
#include "../bfloat16_functions.h"

#endif
