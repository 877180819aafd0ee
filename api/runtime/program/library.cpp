// SPDX-License-Identifier: Apache-2.0
// Libraries: code that a program loads itself, of no device and context.
//
// Reference: CUDA Runtime API, "Library Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* jitOptions,
                                void** jitOptionsValues, unsigned int numJitOptions,
                                cudaLibraryOption* libraryOptions, void** libraryOptionValues,
                                unsigned int numLibraryOptions) {
  return call_with_driver([&] {
    return DRIVER(cuLibraryLoadData)(
        library, code, same_layout<CUjit_option>(jitOptions), jitOptionsValues, numJitOptions,
        same_layout<CUlibraryOption>(libraryOptions), libraryOptionValues, numLibraryOptions);
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* fileName,
                                    cudaJitOption* jitOptions, void** jitOptionsValues,
                                    unsigned int numJitOptions, cudaLibraryOption* libraryOptions,
                                    void** libraryOptionValues, unsigned int numLibraryOptions) {
  return call_with_driver([&] {
    return DRIVER(cuLibraryLoadFromFile)(
        library, fileName, same_layout<CUjit_option>(jitOptions), jitOptionsValues, numJitOptions,
        same_layout<CUlibraryOption>(libraryOptions), libraryOptionValues, numLibraryOptions);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call_with_driver([&] { return DRIVER(cuLibraryUnload)(library); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* pKernel, cudaLibrary_t library, const char* name) {
  return call_with_driver([&] { return DRIVER(cuLibraryGetKernel)(pKernel, library, name); });
}

cudaError_t cudaLibraryGetGlobal(void** dptr, size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return call(
      [&] { return DRIVER(cuLibraryGetGlobal)(device_pointer(dptr), bytes, library, name); });
}

cudaError_t cudaLibraryGetManaged(void** dptr, size_t* bytes, cudaLibrary_t library,
                                  const char* name) {
  return call(
      [&] { return DRIVER(cuLibraryGetManaged)(device_pointer(dptr), bytes, library, name); });
}

cudaError_t cudaLibraryGetUnifiedFunction(void** fptr, cudaLibrary_t library, const char* symbol) {
  return call([&] { return DRIVER(cuLibraryGetUnifiedFunction)(fptr, library, symbol); });
}

cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t lib) {
  return call_with_driver([&] { return DRIVER(cuLibraryGetKernelCount)(count, lib); });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int numKernels,
                                        cudaLibrary_t lib) {
  return call_with_driver(
      [&] { return DRIVER(cuLibraryEnumerateKernels)(kernels, numKernels, lib); });
}
}
