// SPDX-License-Identifier: Apache-2.0
// C++ forms of the functions of libraries, kernels and events.
//
// Reference: CUDA Runtime API, "C++ API Routines".
#pragma once

#include "code.h"
#include "entry_point.h"
#include "event.h"

// cudaEventCreate with flags is cudaEventCreateWithFlags.
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

#if defined(__CUDACC__) || defined(__CUDA__)

// As the C functions, for a kernel by its name, and pointers with their types.
template <class T>
static inline cudaError_t cudaGetKernel(cudaKernel_t* kernelPtr, T* func) {
  return ::cudaGetKernel(kernelPtr, reinterpret_cast<const void*>(func));
}

template <class T>
static inline cudaError_t cudaLibraryGetGlobal(T** dptr, size_t* bytes, cudaLibrary_t library,
                                               const char* name) {
  return ::cudaLibraryGetGlobal(reinterpret_cast<void**>(dptr), bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetManaged(T** dptr, size_t* bytes, cudaLibrary_t library,
                                                const char* name) {
  return ::cudaLibraryGetManaged(reinterpret_cast<void**>(dptr), bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetUnifiedFunction(T** fptr, cudaLibrary_t library,
                                                        const char* symbol) {
  return ::cudaLibraryGetUnifiedFunction(reinterpret_cast<void**>(fptr), library, symbol);
}

#endif
