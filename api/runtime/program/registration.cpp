// SPDX-License-Identifier: Apache-2.0
// The functions that compilers' host code calls by itself to register a program's device code.
//
// Constructors call it before main() begins, so none of it may fail loudly or touch the device;
// an error in a fat binary is returned by the first call that uses it.
#include "api/runtime/cuda_runtime.hpp"

#include "api/runtime/call.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

namespace {
Image* image(void** handle) { return reinterpret_cast<Image*>(handle); }
}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* fatCubin) {
  return reinterpret_cast<void**>(register_image(fatCubin));
}

// The fat binary is registered completely; nothing needs to be done before it is used.
void __cudaRegisterFatBinaryEnd(void** fatCubinHandle) {}

void __cudaUnregisterFatBinary(void** fatCubinHandle) {
  // The driver may be down, and asks who still calls.
  const OnBehalfOfCall program(__builtin_return_address(0));
  unregister_image(image(fatCubinHandle));
}

// Host code calls this before it touches a managed variable. Returns whether it is there.
char __cudaInitModule(void** fatCubinHandle) {
  return call([&] { return load(image(fatCubinHandle)); }) == cudaSuccess;
}

// Compilers before CUDA 5 pass launch bounds here; the kernel itself has them.
void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char* deviceFun,
                            const char* deviceName, int thread_limit, uint3* tid, uint3* bid,
                            dim3* bDim, dim3* gDim, int* wSize) {
  register_kernel(image(fatCubinHandle), hostFun, deviceName);
}

void __cudaRegisterVar(void** fatCubinHandle, char* hostVar, char* deviceAddress,
                       const char* deviceName, int ext, size_t size, int constant, int global) {
  register_variable(image(fatCubinHandle), hostVar, deviceName);
}

void __cudaRegisterManagedVar(void** fatCubinHandle, void** hostVarPtrAddress, char* deviceAddress,
                              const char* deviceName, int ext, size_t size, int constant,
                              int global) {
  register_managed(image(fatCubinHandle), hostVarPtrAddress, deviceName);
}
}
