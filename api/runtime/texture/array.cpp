// SPDX-License-Identifier: Apache-2.0
// Arrays and mipmapped arrays: memory in the order that textures like.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/texture/channel.hpp"

using namespace cuvette::runtime;

namespace {

// Returns whether some array has this shape and these flags, whatever its elements are.
bool possible_shape(const cudaExtent& extent, unsigned flags) {
  constexpr unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                             cudaArrayTextureGather | cudaArraySparse | cudaArrayDeferredMapping |
                             CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  if ((flags & ~known) != 0 || extent.width == 0) return false;
  const bool layered = (flags & cudaArrayLayered) != 0;
  if ((flags & cudaArrayCubemap) != 0) {
    if ((flags & cudaArrayTextureGather) != 0 || extent.width != extent.height) return false;
    return layered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6;
  }
  if ((flags & cudaArrayTextureGather) != 0)
    return !layered && extent.height != 0 && extent.depth == 0;
  return layered ? extent.depth != 0 : extent.height != 0 || extent.depth == 0;
}

// Describes an array to allocate. Fails with cudaErrorInvalidValue for a shape that no array has,
// which is found before wrong elements (measured).
Status describe(const cudaChannelFormatDesc& elements, cudaExtent extent, unsigned flags,
                CUDA_ARRAY3D_DESCRIPTOR* array) {
  const Status status = describe_array(elements, extent, flags, array);
  return status.ok() || possible_shape(extent, flags) ? status : Status(cudaErrorInvalidValue);
}

Status allocate(cudaArray_t* array, const cudaChannelFormatDesc& elements, cudaExtent extent,
                unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR description;
  CHECK(describe(elements, extent, flags, &description));
  return DRIVER(cuArray3DCreate)(same_layout<CUarray>(array), &description);
}

}  // namespace

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                            size_t height, unsigned int flags) {
  return call_if(array != nullptr && desc != nullptr, [&] {
    return allocate(array, *desc, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                              cudaExtent extent, unsigned int flags) {
  return call_if(array != nullptr && desc != nullptr,
                 [&] { return allocate(array, *desc, extent, flags); });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                     const cudaChannelFormatDesc* desc, cudaExtent extent,
                                     unsigned int numLevels, unsigned int flags) {
  return call_if(mipmappedArray != nullptr && desc != nullptr, [&]() -> Status {
    CUDA_ARRAY3D_DESCRIPTOR description;
    CHECK(describe(*desc, extent, flags, &description));
    return DRIVER(cuMipmappedArrayCreate)(same_layout<CUmipmappedArray>(mipmappedArray),
                                          &description, numLevels);
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return call([&]() -> Status {
    if (array == nullptr) return {};
    return DRIVER(cuArrayDestroy)(driver_array(array));
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  return call([&]() -> Status {
    if (mipmappedArray == nullptr) return {};
    return DRIVER(cuMipmappedArrayDestroy)(driver_array(mipmappedArray));
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* levelArray,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level) {
  return call([&] {
    return DRIVER(cuMipmappedArrayGetLevel)(same_layout<CUarray>(levelArray),
                                            driver_array(mipmappedArray), level);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  return call([&]() -> Status {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    CHECK(DRIVER(cuArray3DGetDescriptor)(&description, driver_array(array)));
    if (desc != nullptr) CHECK(find_description(description.Format, description.NumChannels, desc));
    if (extent != nullptr) *extent = {description.Width, description.Height, description.Depth};
    if (flags != nullptr) *flags = description.Flags;
    return {};
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return call_if(desc != nullptr, [&]() -> Status {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    CHECK(DRIVER(cuArray3DGetDescriptor)(&description, driver_array(array)));
    return find_description(description.Format, description.NumChannels, desc);
  });
}

cudaError_t cudaArrayGetPlane(cudaArray_t* pPlaneArray, cudaArray_t hArray, unsigned int planeIdx) {
  return call([&] {
    return DRIVER(cuArrayGetPlane)(same_layout<CUarray>(pPlaneArray), driver_array(hArray),
                                   planeIdx);
  });
}

cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties* sparseProperties,
                                         cudaArray_t array) {
  return call([&] {
    return DRIVER(cuArrayGetSparseProperties)(
        same_layout<CUDA_ARRAY_SPARSE_PROPERTIES>(sparseProperties), driver_array(array));
  });
}

cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties* sparseProperties,
                                                  cudaMipmappedArray_t mipmap) {
  return call([&] {
    return DRIVER(cuMipmappedArrayGetSparseProperties)(
        same_layout<CUDA_ARRAY_SPARSE_PROPERTIES>(sparseProperties), driver_array(mipmap));
  });
}

cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements* memoryRequirements,
                                           cudaArray_t array, int device) {
  return call([&] {
    return DRIVER(cuArrayGetMemoryRequirements)(
        same_layout<CUDA_ARRAY_MEMORY_REQUIREMENTS>(memoryRequirements), driver_array(array),
        device);
  });
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements* memoryRequirements,
                                                    cudaMipmappedArray_t mipmap, int device) {
  return call([&] {
    return DRIVER(cuMipmappedArrayGetMemoryRequirements)(
        same_layout<CUDA_ARRAY_MEMORY_REQUIREMENTS>(memoryRequirements), driver_array(mipmap),
        device);
  });
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
}
