// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: arrays and memory as kernels sample and write them.
//
// Reference: CUDA Runtime API, "Texture Object Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/texture/description.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* pTexObject,
                                    const cudaResourceDesc* pResDesc,
                                    const cudaTextureDesc* pTexDesc,
                                    const cudaResourceViewDesc* pResViewDesc) {
  if (pTexObject == nullptr || pResDesc == nullptr)
    return call_alone([]() -> Status { return cudaErrorInvalidValue; });
  return call([&]() -> Status {
    if (pTexDesc == nullptr) return cudaErrorInvalidResourceHandle;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    CHECK(describe_resource(*pResDesc, &resource));
    CHECK(describe_texture(*pTexDesc, *pResDesc, &texture));
    if (pResViewDesc != nullptr) describe_view(*pResViewDesc, &view);
    return DRIVER(cuTexObjectCreate)(pTexObject, &resource, &texture,
                                     pResViewDesc != nullptr ? &view : nullptr);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  return call([&]() -> Status {
    if (texObject == 0) return {};
    return DRIVER(cuTexObjectDestroy)(texObject);
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* pResDesc,
                                             cudaTextureObject_t texObject) {
  return call([&]() -> Status {
    if (pResDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_RESOURCE_DESC resource;
    CHECK(DRIVER(cuTexObjectGetResourceDesc)(&resource, texObject));
    return describe_resource(resource, pResDesc);
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* pTexDesc,
                                            cudaTextureObject_t texObject) {
  return call([&]() -> Status {
    if (pTexDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_TEXTURE_DESC texture;
    CHECK(DRIVER(cuTexObjectGetTextureDesc)(&texture, texObject));
    describe_texture(texture, pTexDesc);
    return {};
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* pResViewDesc,
                                                 cudaTextureObject_t texObject) {
  return call([&]() -> Status {
    if (pResViewDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_RESOURCE_VIEW_DESC view{};
    const Status status = DRIVER(cuTexObjectGetResourceViewDesc)(&view, texObject);
    // A texture that was made without a view has a view of nothing here, and none in the driver.
    CUDA_RESOURCE_DESC resource;
    if (status.error() == cudaErrorInvalidValue)
      CHECK(DRIVER(cuTexObjectGetResourceDesc)(&resource, texObject));
    else
      CHECK(status);
    describe_view(view, pResViewDesc);
    return {};
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                    const cudaResourceDesc* pResDesc) {
  return call([&]() -> Status {
    if (pSurfObject == nullptr || pResDesc == nullptr) return cudaErrorInvalidValue;
    if (pResDesc->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    if (pResDesc->res.array.array == nullptr) return cudaErrorInvalidResourceHandle;
    CUDA_RESOURCE_DESC resource;
    CHECK(describe_resource(*pResDesc, &resource));
    return DRIVER(cuSurfObjectCreate)(pSurfObject, &resource);
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  return call([&]() -> Status {
    if (surfObject == 0) return {};
    return DRIVER(cuSurfObjectDestroy)(surfObject);
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* pResDesc,
                                             cudaSurfaceObject_t surfObject) {
  return call([&]() -> Status {
    if (pResDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_RESOURCE_DESC resource;
    CHECK(DRIVER(cuSurfObjectGetResourceDesc)(&resource, surfObject));
    return describe_resource(resource, pResDesc);
  });
}
}
