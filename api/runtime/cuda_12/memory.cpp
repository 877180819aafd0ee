// SPDX-License-Identifier: Apache-2.0
// CUDA 12's older forms: places of managed memory by the device, and batches that
// say which copy was refused.
//
// Reference: CUDA Runtime API 12.9, "Memory Management".
#include <cstdint>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {

// The number of a device, or cudaCpuDeviceId.
cudaMemLocation location_of(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

// The driver does not report which copy it refused: "SIZE_MAX" means none in particular.
Status with_index(CUresult result, size_t* refused) {
  if (refused != nullptr && result != CUDA_SUCCESS) *refused = SIZE_MAX;
  return result;
}

}  // namespace

extern "C" {

cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise_v2(devPtr, count, advice, location_of(device));
}

cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice,
                                 cudaStream_t stream) {
  return cudaMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, stream);
}

cudaError_t cudaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                                 size_t* failIdx, cudaStream_t stream) {
  return call([&] {
    return with_index(
        DRIVER(cuMemcpyBatchAsync)(same_layout<CUdeviceptr>(dsts), same_layout<CUdeviceptr>(srcs),
                                   sizes, count, same_layout<CUmemcpyAttributes>(attrs), attrsIdxs,
                                   numAttrs, driver_stream(stream)),
        failIdx);
  });
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp* opList, size_t* failIdx,
                                   unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return with_index(
        DRIVER(cuMemcpy3DBatchAsync)(numOps, same_layout<CUDA_MEMCPY3D_BATCH_OP>(opList), flags,
                                     driver_stream(stream)),
        failIdx);
  });
}
}
