// SPDX-License-Identifier: Apache-2.0
// Libraries: code loaded once for all contexts; its kernels become functions of a context when they
// are first needed there.
//
// Reference: CUDA Driver API, "Library Management".
#pragma once

#include "context.h"
#include "error.h"
#include "execution.h"
#include "handle.h"
#include "module.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUlibraryHostUniversalFunctionAndDataTable_st {
  void* functionTable;
  size_t functionWindowSize;
  void* dataTable;
  size_t dataWindowSize;
} CUlibraryHostUniversalFunctionAndDataTable;

typedef enum CUlibraryOption_enum {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
  CU_LIBRARY_BINARY_IS_PRESERVED = 1,
  CU_LIBRARY_NUM_OPTIONS = 2,
} CUlibraryOption;

// Writes an attribute of a kernel on a device.
CUresult CUDAAPI cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel,
                                      CUdevice dev);

// Writes the kernel's function in the current context.
CUresult CUDAAPI cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel);

// Writes the library of a kernel.
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel);

// Writes the kernel's mangled name.
CUresult CUDAAPI cuKernelGetName(const char** name, CUkernel hfunc);

// Writes the offset and size in bytes of a parameter. CUDA_ERROR_INVALID_VALUE past the last one.
CUresult CUDAAPI cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset,
                                      size_t* paramSize);

// Sets an attribute of a kernel on a device.
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
                                      CUdevice dev);

// Sets the preferred balance of cache and shared memory for a kernel on a device.
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev);

// Writes up to numKernels kernels of a library.
CUresult CUDAAPI cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels,
                                           CUlibrary lib);

// Finds a variable and writes its address in the current context and its size in bytes.
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                                    const char* name);

// Finds a kernel by its name.
CUresult CUDAAPI cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name);

// Writes the number of kernels in a library.
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib);

// Finds a managed variable and writes its address and size in bytes.
CUresult CUDAAPI cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                                     const char* name);

// Writes the library's module in the current context.
CUresult CUDAAPI cuLibraryGetModule(CUmodule* pMod, CUlibrary library);

// Finds a function that has the same address on host and device.
CUresult CUDAAPI cuLibraryGetUnifiedFunction(void** fptr, CUlibrary library, const char* symbol);

// Loads code from memory for all contexts.
CUresult CUDAAPI cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                                   void** jitOptionsValues, unsigned int numJitOptions,
                                   CUlibraryOption* libraryOptions, void** libraryOptionValues,
                                   unsigned int numLibraryOptions);

// Loads code from a file for all contexts.
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary* library, const char* fileName,
                                       CUjit_option* jitOptions, void** jitOptionsValues,
                                       unsigned int numJitOptions, CUlibraryOption* libraryOptions,
                                       void** libraryOptionValues, unsigned int numLibraryOptions);

// Unloads a library.
CUresult CUDAAPI cuLibraryUnload(CUlibrary library);

#ifdef __cplusplus
}
#endif
