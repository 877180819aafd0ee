// SPDX-License-Identifier: Apache-2.0
// Declarations that CUDA C++ has without an #include, for clang: `cuvette c++` includes this before
// each source.
//
// Most of the device's side comes with clang itself, in headers that expect a CUDA toolkit around
// them. Here are the order in which they go together with our cuda_runtime.h, and what they leave
// to the toolkit.
#ifndef CUVETTE_KERNEL_PRELUDE_H
#define CUVETTE_KERNEL_PRELUDE_H

#if !defined(__clang__) || !defined(__CUDA__)
#error "cuvette/kernel/prelude.h is for clang's CUDA mode; cuvette c++ includes it"
#endif

// The macros that nvcc defines. The standard library looks at it, too.
#define __CUDACC__ 1

// Functions of the device must be known before <cmath> takes the host's into namespace std.
// Each of these headers uses those before it.
// clang-format off
#include <__clang_cuda_math_forward_declares.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdlib>

// default_stream.h has a function of this name.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __cudaPushCallConfiguration __cuvette_declared_push
#endif
#include "cuda_runtime.h"
#undef __cudaPushCallConfiguration
#include "default_stream.h"

// The host's side sees all functions of the device that there are.
#pragma push_macro("__CUDA_ARCH__")
#if !defined(__CUDA_ARCH__)
#define __CUDA_ARCH__ 9999
#endif
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
typedef uint32_t cuuint32_t;

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include "library.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#pragma pop_macro("__CUDA_ARCH__")
#include <__clang_cuda_cmath.h>
#include "spaces.h"
// shuffles.h and intrinsics.h have functions of these names.
#define __reduce_add_sync __cuvette_reduce_add_sync
#define __reduce_and_sync __cuvette_reduce_and_sync
#define __reduce_max_sync __cuvette_reduce_max_sync
#define __reduce_min_sync __cuvette_reduce_min_sync
#define __reduce_or_sync __cuvette_reduce_or_sync
#define __reduce_xor_sync __cuvette_reduce_xor_sync
#define __shfl_sync __cuvette_shfl_sync
#define __shfl_up_sync __cuvette_shfl_up_sync
#define __shfl_down_sync __cuvette_shfl_down_sync
#define __shfl_xor_sync __cuvette_shfl_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_and_sync
#undef __reduce_max_sync
#undef __reduce_min_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#include <__clang_cuda_complex_builtins.h>
#pragma pop_macro("CUDA_VERSION")

#include "atomics.h"
#include "barriers.h"
#include "cached_access.h"
#include "dynamic_programming.h"
#include "intrinsics.h"
#if defined(__CUDA_ARCH__) && __clang_major__ < 18
#include "integers_128.h"
#endif
#include "stack.h"
#include "overloads.h"
#include "shuffles.h"
#include "system_calls.h"
#include "allocation.h"
#include "surfaces.h"
#include "textures.h"
#include "alignment.h"
// clang-format on

// The architecture that was asked for may be newer than what this clang knows.
#if defined(__CUDA_ARCH__) && defined(CUVETTE_KERNEL_ARCH)
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ CUVETTE_KERNEL_ARCH
#endif

#endif
