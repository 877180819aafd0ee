// SPDX-License-Identifier: Apache-2.0

// The basis of every declaration of the runtime: the version, calling
// conventions, the deprecation mark, default arguments, and how a name is turned into an exported
// symbol.
#pragma once

#include <limits.h>
#include <stddef.h>

#include "../../crt/host_defines.h"

// The major version of the ABI that these headers declare. Code that links libcudart.so.12 defines
// CUVETTE_CUDART_MAJOR to 12 and gets the API of CUDA 12.9.
#ifndef CUVETTE_CUDART_MAJOR
#define CUVETTE_CUDART_MAJOR 13
#endif
#if CUVETTE_CUDART_MAJOR != 12 && CUVETTE_CUDART_MAJOR != 13
#error "CUVETTE_CUDART_MAJOR is 12 or 13."
#endif

// Calling convention of callbacks.
#if defined(_WIN32)
#define CUDART_CB __stdcall
#else
#define CUDART_CB
#endif

// An argument that C++ may leave out, and what it is then.
#if defined(__cplusplus)
#define CUVETTE_DEFAULT(value) = value
#else
#define CUVETTE_DEFAULT(value)
#endif

// A program may ask for silence with CUDA_ENABLE_DEPRECATED.
#if !defined(CUVETTE_CUDART_DEPRECATED)
#if defined(CUDA_ENABLE_DEPRECATED)
#define CUVETTE_CUDART_DEPRECATED
#elif defined(_MSC_VER)
#define CUVETTE_CUDART_DEPRECATED __declspec(deprecated)
#elif defined(__GNUC__)
#define CUVETTE_CUDART_DEPRECATED __attribute__((deprecated))
#else
#define CUVETTE_CUDART_DEPRECATED
#endif
#endif

// Anonymous members came to C with C11; C99 accepts them with __extension__.
#if !defined(CUVETTE_EXTENSION)
#if defined(__GNUC__) && !defined(__cplusplus)
#define CUVETTE_EXTENSION __extension__
#else
#define CUVETTE_EXTENSION
#endif
#endif
