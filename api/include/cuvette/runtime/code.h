// SPDX-License-Identifier: Apache-2.0
// Libraries of kernels, loaded at run time.
//
// Reference: CUDA Runtime API, "Library Management".
#pragma once

#include "code_types.h"
#include "error_types.h"
#include "function_types.h"
#include "handle_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sets an attribute of a kernel on one device.
cudaError_t CUDARTAPI cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                      enum cudaFuncAttribute attr, int value,
                                                      int device);

// Writes the kernels of a library, at most numKernels.
cudaError_t CUDARTAPI cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int numKernels,
                                                  cudaLibrary_t lib);

// Writes address and size, in bytes, of a variable on the thread's device; each may be null.
// cudaErrorSymbolNotFound if there is none.
cudaError_t CUDARTAPI cudaLibraryGetGlobal(void** dptr, size_t* bytes, cudaLibrary_t library,
                                           const char* name);

// Writes the kernel of a name. cudaErrorSymbolNotFound if there is none.
cudaError_t CUDARTAPI cudaLibraryGetKernel(cudaKernel_t* pKernel, cudaLibrary_t library,
                                           const char* name);

// Writes the number of kernels.
cudaError_t CUDARTAPI cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t lib);

// Writes address and size, in bytes, of a managed variable; each may be null.
cudaError_t CUDARTAPI cudaLibraryGetManaged(void** dptr, size_t* bytes, cudaLibrary_t library,
                                            const char* name);

// Writes the address of a function that host and device share.
cudaError_t CUDARTAPI cudaLibraryGetUnifiedFunction(void** fptr, cudaLibrary_t library,
                                                    const char* symbol);

// Loads a library of kernels from memory: PTX text, a cubin or a fat binary. The options are pairs
// of a name and a value.
cudaError_t CUDARTAPI cudaLibraryLoadData(cudaLibrary_t* library, const void* code,
                                          enum cudaJitOption* jitOptions, void** jitOptionsValues,
                                          unsigned int numJitOptions,
                                          enum cudaLibraryOption* libraryOptions,
                                          void** libraryOptionValues,
                                          unsigned int numLibraryOptions);

// As cudaLibraryLoadData, from a file. cudaErrorFileNotFound if there is none.
cudaError_t CUDARTAPI cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* fileName,
                                              enum cudaJitOption* jitOptions,
                                              void** jitOptionsValues, unsigned int numJitOptions,
                                              enum cudaLibraryOption* libraryOptions,
                                              void** libraryOptionValues,
                                              unsigned int numLibraryOptions);

// Unloads a library; its kernels and variables are gone.
cudaError_t CUDARTAPI cudaLibraryUnload(cudaLibrary_t library);

#ifdef __cplusplus
}
#endif
