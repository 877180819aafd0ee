// SPDX-License-Identifier: Apache-2.0
// Vector types of CUDA C++, such as float4, and dim3.
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "cuvette/runtime/vector.h"

#endif
