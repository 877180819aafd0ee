// SPDX-License-Identifier: Apache-2.0
// The needs and preferences of kernels, by the host address that represents them.
//
// Reference: CUDA Runtime API, "Execution Control".
#include <type_traits>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return call_if(attr != nullptr, [&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    *attr = {};
    const auto ask = [function](CUfunction_attribute which, auto* value) -> Status {
      int answer = 0;
      CHECK(DRIVER(cuFuncGetAttribute)(&answer, which, function));
      *value = static_cast<std::remove_pointer_t<decltype(value)>>(answer);
      return {};
    };
    CHECK(ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &attr->sharedSizeBytes));
    CHECK(ask(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &attr->constSizeBytes));
    CHECK(ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &attr->localSizeBytes));
    CHECK(ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attr->maxThreadsPerBlock));
    CHECK(ask(CU_FUNC_ATTRIBUTE_NUM_REGS, &attr->numRegs));
    CHECK(ask(CU_FUNC_ATTRIBUTE_PTX_VERSION, &attr->ptxVersion));
    CHECK(ask(CU_FUNC_ATTRIBUTE_BINARY_VERSION, &attr->binaryVersion));
    CHECK(ask(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &attr->cacheModeCA));
    CHECK(ask(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &attr->maxDynamicSharedSizeBytes));
    CHECK(ask(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &attr->preferredShmemCarveout));
    CHECK(ask(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, &attr->clusterDimMustBeSet));
    CHECK(ask(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &attr->requiredClusterWidth));
    CHECK(ask(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &attr->requiredClusterHeight));
    CHECK(ask(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &attr->requiredClusterDepth));
    CHECK(ask(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
              &attr->clusterSchedulingPolicyPreference));
    return ask(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
               &attr->nonPortableClusterSizeAllowed);
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  const bool known =
      attr >= cudaFuncAttributeMaxDynamicSharedMemorySize && attr < cudaFuncAttributeMax;
  return call_if(known, [&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    return DRIVER(cuFuncSetAttribute)(function, static_cast<CUfunction_attribute>(attr), value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache cacheConfig) {
  return call([&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    return DRIVER(cuFuncSetCacheConfig)(function, static_cast<CUfunc_cache>(cacheConfig));
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig config) {
  return call([&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    return DRIVER(cuFuncSetSharedMemConfig)(function, static_cast<CUsharedconfig>(config));
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return call([&]() -> Status {
    if (name == nullptr) return cudaErrorInvalidValue;
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    return DRIVER(cuKernelGetName)(name, kernel);
  });
}

cudaError_t cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                 size_t* paramSize) {
  return call([&]() -> Status {
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    return DRIVER(cuKernelGetParamInfo)(kernel, paramIndex, paramOffset, paramSize);
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr) {
  return call([&]() -> Status {
    CUfunction unasked = nullptr;  // measured: may be null
    const Status status = find_function(symbolPtr, functionPtr != nullptr ? functionPtr : &unasked);
    return status.error() == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction
                                                            : status;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  return call_with_driver([&]() -> Status {
    if (kernelPtr == nullptr) return cudaErrorInvalidValue;
    const Status status = find_kernel(entryFuncAddr, kernelPtr);
    return status.error() == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction
                                                            : status;
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr, int value,
                                            int device) {
  return call_with_driver([&] {
    return DRIVER(cuKernelSetAttribute)(static_cast<CUfunction_attribute>(attr), value, kernel,
                                        device);
  });
}
}
