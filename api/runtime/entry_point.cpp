// SPDX-License-Identifier: Apache-2.0
// Versions of both libraries, and the driver's functions by name.
//
// Reference: CUDA Runtime API, "Driver Entry Point Access".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {
// A program with null streams of the threads gets the driver's functions of that kind,
// unless it says which it wants.
Status find_entry_point(const char* symbol, void** function, int version, unsigned long long flags,
                        cudaDriverEntryPointQueryResult* found) {
  if (flags == cudaEnableDefault && Thread::current().null_stream_is_own)
    flags = cudaEnablePerThreadDefaultStream;
  CUdriverProcAddressQueryResult result{};
  CHECK(DRIVER(cuGetProcAddress)(symbol, function, version, flags, &result));
  if (found != nullptr) *found = static_cast<cudaDriverEntryPointQueryResult>(result);
  return {};
}
}  // namespace

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return call_alone([&]() -> Status {
    if (runtimeVersion == nullptr) return cudaErrorInvalidValue;
    *runtimeVersion = CUDART_VERSION;
    return {};
  });
}

// Without a driver the version is 0, which is not an error.
cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return call_alone([&]() -> Status {
    if (driverVersion == nullptr) return cudaErrorInvalidValue;
    *driverVersion = 0;
    if (!driver_found()) return {};
    return DRIVER(cuDriverGetVersion)(driverVersion);
  });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
  return call_with_driver(
      [&] { return find_entry_point(symbol, funcPtr, CUDART_VERSION, flags, driverStatus); });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* driverStatus) {
  return call_with_driver([&] {
    return find_entry_point(symbol, funcPtr, static_cast<int>(cudaVersion), flags, driverStatus);
  });
}
// The driver has no private tables, and says so; tools that ask for them continue without.
cudaError_t cudaGetExportTable(const void** ppExportTable, const cudaUUID_t* pExportTableId) {
  return call_with_driver(
      [&] { return DRIVER(cuGetExportTable)(ppExportTable, same_layout<CUuuid>(pExportTableId)); });
}
}
