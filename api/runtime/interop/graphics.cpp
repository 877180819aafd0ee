// SPDX-License-Identifier: Apache-2.0
// Graphics resources: memory of another API that is mapped and unmapped.
//
// Reference: CUDA Runtime API, "Graphics Interoperability".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
  return call([&] { return DRIVER(cuGraphicsUnregisterResource)(driver_resource(resource)); });
}

// Measured: as the driver's first version, which looks at the mapping first and takes any flags.
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags) {
  using Function = decltype(cuGraphicsResourceSetMapFlags);
  constexpr detail::Name first_version("cuGraphicsResourceSetMapFlags");
  return call([&] {
    return detail::driver_function<Function, first_version>()(driver_resource(resource), flags);
  });
}

cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                     cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuGraphicsMapResources)(static_cast<unsigned>(count),
                                          same_layout<CUgraphicsResource>(resources),
                                          driver_stream(stream));
  });
}

cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                       cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuGraphicsUnmapResources)(static_cast<unsigned>(count),
                                            same_layout<CUgraphicsResource>(resources),
                                            driver_stream(stream));
  });
}

cudaError_t cudaGraphicsResourceGetMappedPointer(void** devPtr, size_t* size,
                                                 cudaGraphicsResource_t resource) {
  return call([&] {
    return DRIVER(cuGraphicsResourceGetMappedPointer)(device_pointer(devPtr), size,
                                                      driver_resource(resource));
  });
}

cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int arrayIndex, unsigned int mipLevel) {
  return call([&] {
    return DRIVER(cuGraphicsSubResourceGetMappedArray)(
        same_layout<CUarray>(array), driver_resource(resource), arrayIndex, mipLevel);
  });
}

cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                                        cudaGraphicsResource_t resource) {
  return call([&] {
    return DRIVER(cuGraphicsResourceGetMappedMipmappedArray)(
        same_layout<CUmipmappedArray>(mipmappedArray), driver_resource(resource));
  });
}
}
