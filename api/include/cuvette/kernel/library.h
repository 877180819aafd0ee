// SPDX-License-Identifier: Apache-2.0
// The functions that clang's headers leave to a library of the toolkit: __nv_... as they declare
// them.
//
// A definition begins with CUVETTE_LIBRARY: it is compiled where it is used, and nowhere
// else.
#ifndef CUVETTE_KERNEL_LIBRARY_H
#define CUVETTE_KERNEL_LIBRARY_H

#pragma push_macro("CUVETTE_LIBRARY")
#define CUVETTE_LIBRARY extern "C" inline __device__ __attribute__((always_inline))

// Each uses those before it.
// clang-format off
#include "library_integers.h"
#include "library_conversions.h"
#include "library_arithmetic.h"
#include "library_math.h"
#include "library_math_float.h"
#include "library_bytes.h"
// clang-format on

#pragma pop_macro("CUVETTE_LIBRARY")

#endif
