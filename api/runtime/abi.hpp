// SPDX-License-Identifier: Apache-2.0
// Which of the two libraries is being compiled: libcudart.so.12 and libcudart.so.13 are made of the
// same files, and differ in rows of functions.def and in types of <cuda_runtime_api.h>.
//
// CUVETTE_ROW_<abi>(row) is `row` where the library that is being compiled has rows of that abi.
#pragma once

// LATEST(name, version) is the exported name of what CUDA 13 calls `name`: in CUDA 12, where an
// older form has that name, `name` followed by `version`.
#if defined(CUVETTE_CUDART_MAJOR) && CUVETTE_CUDART_MAJOR == 12
#define LATEST(name, version) name##version
#else
#define LATEST(name, version) name
#endif

#if defined(CUVETTE_CUDART_MAJOR) && CUVETTE_CUDART_MAJOR == 12
#define CUVETTE_ROW_cuda_12(...) __VA_ARGS__
#define CUVETTE_ROW_cuda_13(...)
// Whether the library checks grids and blocks before the driver does.
inline constexpr bool checks_configurations = true;
#else
#define CUVETTE_ROW_cuda_12(...)
#define CUVETTE_ROW_cuda_13(...) __VA_ARGS__
inline constexpr bool checks_configurations = false;
#endif
#define CUVETTE_ROW_both(...) __VA_ARGS__
