// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces: the runtime's descriptions in the driver's words.
#include <cuda_runtime_api.h>

#include "programs.hpp"

using namespace corpus;

namespace {

CUarray array_of(cudaArray_const_t array) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray*>(array));
}

// Of a channel: its kind and width say the driver's format.
CUarray_format format_of(const cudaChannelFormatDesc& description) {
  const bool is_signed = description.f == cudaChannelFormatKindSigned;
  if (description.f == cudaChannelFormatKindFloat)
    return description.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  if (description.x == 8) return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  if (description.x == 16)
    return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
  return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
}
unsigned channels_of(const cudaChannelFormatDesc& description) {
  return 1u + (description.y > 0) + (description.z > 0) + (description.w > 0);
}

CUDA_RESOURCE_DESC resource_of(const cudaResourceDesc& from) {
  CUDA_RESOURCE_DESC to{};
  to.resType = static_cast<CUresourcetype>(from.resType);
  switch (from.resType) {
    case cudaResourceTypeArray:
      to.res.array.hArray = array_of(from.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray:
      to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
      break;
    case cudaResourceTypeLinear:
      to.res.linear.devPtr = reinterpret_cast<CUdeviceptr>(from.res.linear.devPtr);
      to.res.linear.format = format_of(from.res.linear.desc);
      to.res.linear.numChannels = channels_of(from.res.linear.desc);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      break;
    case cudaResourceTypePitch2D:
      to.res.pitch2D.devPtr = reinterpret_cast<CUdeviceptr>(from.res.pitch2D.devPtr);
      to.res.pitch2D.format = format_of(from.res.pitch2D.desc);
      to.res.pitch2D.numChannels = channels_of(from.res.pitch2D.desc);
      to.res.pitch2D.width = from.res.pitch2D.width,
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      break;
  }
  return to;
}

cudaError_t copy_rectangle(CUDA_MEMCPY2D copy) { FORWARD(cuMemcpy2D(&copy)); }

}  // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR all{extent.width,       extent.height,        extent.depth,
                              format_of(*format), channels_of(*format), flags};
  FORWARD(cuArray3DCreate(reinterpret_cast<CUarray*>(array), &all));
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) { FORWARD(cuArrayDestroy(array_of(array))); }
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR all{extent.width,       extent.height,        extent.depth,
                              format_of(*format), channels_of(*format), flags};
  FORWARD(cuMipmappedArrayCreate(reinterpret_cast<CUmipmappedArray*>(array), &all, levels));
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t all,
                                       unsigned level) {
  FORWARD(cuMipmappedArrayGetLevel(
      reinterpret_cast<CUarray*>(array),
      reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray*>(all)), level));
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED, copy.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array_of(to), copy.dstXInBytes = x,
  copy.dstY = y;
  copy.WidthInBytes = width, copy.Height = height;
  return copy_rectangle(copy);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array_of(from), copy.srcXInBytes = x,
  copy.srcY = y;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED, copy.dstDevice = reinterpret_cast<CUdeviceptr>(to);
  copy.dstPitch = pitch;
  copy.WidthInBytes = width, copy.Height = height;
  return copy_rectangle(copy);
}
// From memory to an array of elements of four bytes, which is what the corpus asks for.
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* given) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(given->srcPtr.ptr);
  copy.srcPitch = given->srcPtr.pitch, copy.srcHeight = given->srcPtr.ysize;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array_of(given->dstArray);
  copy.WidthInBytes = given->extent.width * 4, copy.Height = given->extent.height,
  copy.Depth = given->extent.depth;
  FORWARD(cuMemcpy3D(&copy));
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* from, const cudaResourceViewDesc*) {
  const CUDA_RESOURCE_DESC all = resource_of(*resource);
  CUDA_TEXTURE_DESC to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<CUaddress_mode>(from->addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from->filterMode);
  to.flags = (from->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
             (from->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (from->sRGB ? CU_TRSF_SRGB : 0u);
  to.maxAnisotropy = from->maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from->mipmapFilterMode);
  to.mipmapLevelBias = from->mipmapLevelBias;
  to.minMipmapLevelClamp = from->minMipmapLevelClamp,
  to.maxMipmapLevelClamp = from->maxMipmapLevelClamp;
  for (int i = 0; i < 4; ++i) to.borderColor[i] = from->borderColor[i];
  FORWARD(cuTexObjectCreate(object, &all, &to, nullptr));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  FORWARD(cuTexObjectDestroy(object));
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  const CUDA_RESOURCE_DESC all = resource_of(*resource);
  FORWARD(cuSurfObjectCreate(object, &all));
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  FORWARD(cuSurfObjectDestroy(object));
}
}
