// SPDX-License-Identifier: Apache-2.0
// Semaphores of another API or process, imported, signalled and waited for.
//
// Reference: CUDA Runtime API, "External Resource Interoperability".
#include <cstring>

#include "api/runtime/abi.hpp"
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t* extSem_out,
                                        const cudaExternalSemaphoreHandleDesc* semHandleDesc) {
  return call([&]() -> Status {
    if (extSem_out == nullptr || semHandleDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
    description.type = static_cast<CUexternalSemaphoreHandleType>(semHandleDesc->type);
    std::memcpy(&description.handle, &semHandleDesc->handle, sizeof description.handle);
    description.flags = semHandleDesc->flags;
    return DRIVER(cuImportExternalSemaphore)(same_layout<CUexternalSemaphore>(extSem_out),
                                             &description);
  });
}

cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem) {
  return call([&] { return DRIVER(cuDestroyExternalSemaphore)(driver_semaphore(extSem)); });
}

cudaError_t LATEST(cudaSignalExternalSemaphoresAsync,
                   _v2)(const cudaExternalSemaphore_t* extSemArray,
                        const cudaExternalSemaphoreSignalParams* paramsArray,
                        unsigned int numExtSems, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuSignalExternalSemaphoresAsync)(
        same_layout<CUexternalSemaphore>(extSemArray),
        same_layout<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>(paramsArray), numExtSems,
        driver_stream(stream));
  });
}

cudaError_t LATEST(cudaWaitExternalSemaphoresAsync,
                   _v2)(const cudaExternalSemaphore_t* extSemArray,
                        const cudaExternalSemaphoreWaitParams* paramsArray, unsigned int numExtSems,
                        cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuWaitExternalSemaphoresAsync)(
        same_layout<CUexternalSemaphore>(extSemArray),
        same_layout<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>(paramsArray), numExtSems,
        driver_stream(stream));
  });
}
}
