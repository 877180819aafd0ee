// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/texture/description.hpp"

#include <algorithm>

#include "api/runtime/convert.hpp"
#include "api/runtime/driver.hpp"
#include "api/runtime/texture/channel.hpp"

namespace cuvette::runtime {

Status describe_resource(const cudaResourceDesc& from, CUDA_RESOURCE_DESC* to) {
  *to = {};
  to->resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
    case cudaResourceTypeArray:
      to->res.array.hArray = driver_array(from.res.array.array);
      return {};
    case cudaResourceTypeMipmappedArray:
      to->res.mipmap.hMipmappedArray = driver_array(from.res.mipmap.mipmap);
      return {};
    case cudaResourceTypeLinear:
      to->res.linear.devPtr = device_pointer(from.res.linear.devPtr);
      to->res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return find_format(from.res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels);
    case cudaResourceTypePitch2D:
      to->res.pitch2D.devPtr = device_pointer(from.res.pitch2D.devPtr);
      to->res.pitch2D.width = from.res.pitch2D.width;
      to->res.pitch2D.height = from.res.pitch2D.height;
      to->res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return find_format(from.res.pitch2D.desc, &to->res.pitch2D.format,
                         &to->res.pitch2D.numChannels);
  }
  return cudaErrorInvalidValue;
}

Status describe_resource(const CUDA_RESOURCE_DESC& from, cudaResourceDesc* to) {
  *to = {};
  to->resType = static_cast<cudaResourceType>(from.resType);
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to->res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
      return {};
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to->res.mipmap.mipmap =
          reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      return {};
    case CU_RESOURCE_TYPE_LINEAR:
      to->res.linear.devPtr = reinterpret_cast<void*>(from.res.linear.devPtr);
      to->res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return find_description(from.res.linear.format, from.res.linear.numChannels,
                              &to->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
      to->res.pitch2D.devPtr = reinterpret_cast<void*>(from.res.pitch2D.devPtr);
      to->res.pitch2D.width = from.res.pitch2D.width;
      to->res.pitch2D.height = from.res.pitch2D.height;
      to->res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return find_description(from.res.pitch2D.format, from.res.pitch2D.numChannels,
                              &to->res.pitch2D.desc);
  }
  return cudaErrorInvalidValue;
}

namespace {

// Finds the elements that the resource has; compressed blocks and normalised formats are read as
// floats.
Status find_elements(const cudaResourceDesc& resource, cudaChannelFormatDesc* elements) {
  CUarray array = nullptr;
  switch (resource.resType) {
    case cudaResourceTypeLinear:
      *elements = resource.res.linear.desc;
      return {};
    case cudaResourceTypePitch2D:
      *elements = resource.res.pitch2D.desc;
      return {};
    case cudaResourceTypeArray:
      array = driver_array(resource.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray:
      CHECK(DRIVER(cuMipmappedArrayGetLevel)(&array, driver_array(resource.res.mipmap.mipmap), 0));
      break;
  }
  CUDA_ARRAY3D_DESCRIPTOR description{};
  CHECK(DRIVER(cuArray3DGetDescriptor)(&description, array));
  return find_description(description.Format, description.NumChannels, elements);
}

}  // namespace

Status describe_texture(const cudaTextureDesc& from, const cudaResourceDesc& resource,
                        CUDA_TEXTURE_DESC* to) {
  *to = {};
  for (int i = 0; i < 3; ++i) to->addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to->filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to->maxAnisotropy = from.maxAnisotropy;
  to->mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to->mipmapLevelBias = from.mipmapLevelBias;
  to->minMipmapLevelClamp = from.minMipmapLevelClamp;
  to->maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy_n(from.borderColor, 4, to->borderColor);
  if (from.normalizedCoords) to->flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (from.sRGB) to->flags |= CU_TRSF_SRGB;
  if (from.disableTrilinearOptimization) to->flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (from.seamlessCubemap) to->flags |= CU_TRSF_SEAMLESS_CUBEMAP;

  cudaChannelFormatDesc elements{};
  CHECK(find_elements(resource, &elements));
  const bool integers =
      elements.f == cudaChannelFormatKindSigned || elements.f == cudaChannelFormatKindUnsigned;
  if (from.readMode == cudaReadModeElementType) {
    if (integers) {
      // A filter between integers has nothing that it could return.
      if (from.filterMode == cudaFilterModeLinear) return cudaErrorInvalidFilterSetting;
      to->flags |= CU_TRSF_READ_AS_INTEGER;
    }
  } else if (from.readMode == cudaReadModeNormalizedFloat &&
             (elements.x == 32 || elements.f == cudaChannelFormatKindFloat)) {
    // "Note that this applies only to 8-bit and 16-bit integer formats." Measured: so halves are
    // refused as well.
    return cudaErrorInvalidNormSetting;
  }
  return {};
}

void describe_texture(const CUDA_TEXTURE_DESC& from, cudaTextureDesc* to) {
  *to = {};
  for (int i = 0; i < 3; ++i)
    to->addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to->filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to->readMode = (from.flags & CU_TRSF_READ_AS_INTEGER) != 0 ? cudaReadModeElementType
                                                             : cudaReadModeNormalizedFloat;
  to->maxAnisotropy = from.maxAnisotropy;
  to->mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to->mipmapLevelBias = from.mipmapLevelBias;
  to->minMipmapLevelClamp = from.minMipmapLevelClamp;
  to->maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy_n(from.borderColor, 4, to->borderColor);
  to->normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to->sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to->disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  to->seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
}

void describe_view(const cudaResourceViewDesc& from, CUDA_RESOURCE_VIEW_DESC* to) {
  *to = {};
  to->format = static_cast<CUresourceViewFormat>(from.format);
  to->width = from.width;
  to->height = from.height;
  to->depth = from.depth;
  to->firstMipmapLevel = from.firstMipmapLevel;
  to->lastMipmapLevel = from.lastMipmapLevel;
  to->firstLayer = from.firstLayer;
  to->lastLayer = from.lastLayer;
}

void describe_view(const CUDA_RESOURCE_VIEW_DESC& from, cudaResourceViewDesc* to) {
  *to = {};
  to->format = static_cast<cudaResourceViewFormat>(from.format);
  to->width = from.width;
  to->height = from.height;
  to->depth = from.depth;
  to->firstMipmapLevel = from.firstMipmapLevel;
  to->lastMipmapLevel = from.lastMipmapLevel;
  to->firstLayer = from.firstLayer;
  to->lastLayer = from.lastLayer;
}

}  // namespace cuvette::runtime
