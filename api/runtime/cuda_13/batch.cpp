// SPDX-License-Identifier: Apache-2.0
// Copies and placements of many ranges in one call.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs, const size_t* sizes,
                                 size_t count, cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                 size_t numAttrs, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemcpyBatchAsync)(
        same_layout<CUdeviceptr>(const_cast<void**>(dsts)),
        same_layout<CUdeviceptr>(const_cast<void**>(srcs)), const_cast<size_t*>(sizes), count,
        same_layout<CUmemcpyAttributes>(attrs), attrsIdxs, numAttrs, driver_stream(stream));
  });
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp* opList,
                                   unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemcpy3DBatchAsync)(numOps, same_layout<CUDA_MEMCPY3D_BATCH_OP>(opList), flags,
                                        driver_stream(stream));
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                      cudaMemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemPrefetchBatchAsync)(
        same_layout<CUdeviceptr>(dptrs), sizes, count, same_layout<CUmemLocation>(prefetchLocs),
        prefetchLocIdxs, numPrefetchLocs, flags, driver_stream(stream));
  });
}

cudaError_t cudaMemDiscardBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemDiscardBatchAsync)(same_layout<CUdeviceptr>(dptrs), sizes, count, flags,
                                          driver_stream(stream));
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                                cudaMemLocation* prefetchLocs,
                                                size_t* prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemDiscardAndPrefetchBatchAsync)(
        same_layout<CUdeviceptr>(dptrs), sizes, count, same_layout<CUmemLocation>(prefetchLocs),
        prefetchLocIdxs, numPrefetchLocs, flags, driver_stream(stream));
  });
}
}
